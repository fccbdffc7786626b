import type { BrowserContext } from "playwright-core";

/*
 * What a page must never do, whatever a test is about: write errors to the console, throw, break its own
 * Content-Security-Policy, or send requests to other servers.
 */

export class Complaints {
  private readonly found: string[] = [];

  private constructor() {}

  /** Listens to every page of a context, also to those that links open. */
  static async of(context: BrowserContext, origin: string): Promise<Complaints> {
    const complaints = new Complaints();
    const complain = (text: string) => complaints.found.push(text);
    context.on("console", (message) => {
      if (message.type() !== "error" && message.type() !== "warning") return;
      complain(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    });
    context.on("weberror", (thrown) => complain(`thrown: ${thrown.error().stack ?? thrown.error().message}`));
    context.on("request", (request) => {
      if (!isOwn(request.url(), origin)) complain(`request to another origin: ${request.url()}`);
    });
    context.on("requestfailed", (request) => {
      // The page may change its mind, and leaving it ends what it still waits for.
      const why = request.failure()?.errorText ?? "";
      if (why !== "net::ERR_ABORTED") complain(`request failed: ${request.url()}: ${why}`);
    });
    await context.exposeFunction("reportViolation", (text: string) => complain(`CSP: ${text}`));
    await context.addInitScript(() => {
      const report = (globalThis as unknown as { reportViolation: (text: string) => void }).reportViolation;
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
        report(`${violatedDirective} forbids ${blockedURI} ${sample}`),
      );
    });
    return complaints;
  }

  /** Tests of what happens when something breaks expect these and no others. */
  forgive(pattern: RegExp): void {
    const left = this.found.filter((text) => !pattern.test(text));
    this.found.splice(0, this.found.length, ...left);
  }

  throwIfAny(): void {
    if (this.found.length > 0) throw new Error(`the page did what it must not:\n${this.found.join("\n")}`);
  }
}

/** `data:` and `blob:` go nowhere. */
const isOwn = (url: string, origin: string): boolean =>
  url.startsWith("data:") || url.startsWith("blob:") || new URL(url).origin === origin;
