import { createHmac, timingSafeEqual } from "node:crypto";
import { problemResponse } from "./problem.js";

const cookieName = "tierwall";
/** A token, and a little around it. */
const longestForm = 4096;

/** Lets in who knows the token: scripts say it with every request, people once in a form. */
export class Entry {
  /** What a browser keeps instead of the token, which it does not tell. */
  private readonly pass: string;

  constructor(private readonly token: string) {
    this.pass = createHmac("sha256", token).update("tierwall page").digest("base64url");
  }

  isOpenTo(request: Request): boolean {
    const authorization = request.headers.get("Authorization") ?? "";
    const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (bearer !== undefined) return isEqual(bearer, this.token);
    const cookies = (request.headers.get("Cookie") ?? "").split(";").map((cookie) => cookie.trim());
    return cookies.some(
      (cookie) =>
        cookie.startsWith(`${cookieName}=`) && isEqual(cookie.slice(cookieName.length + 1), this.pass),
    );
  }

  /** What somebody is told who is not let in. */
  refusal(request: Request): Response {
    if (request.method === "GET" && new URL(request.url).pathname === "/") return form(401, "");
    return problemResponse({
      status: 401,
      detail:
        "send the token of this server as `Authorization: Bearer TOKEN`, or open / in a browser and log in",
      headers: { "WWW-Authenticate": 'Bearer realm="tierwall"' },
    });
  }

  /** Takes the form. */
  async logIn(request: Request): Promise<Response> {
    const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
    if (!(length <= longestForm))
      return problemResponse({ status: 413, detail: "a token is shorter than this" });
    const given = new URLSearchParams(await request.text()).get("token") ?? "";
    if (!isEqual(given.trim(), this.token)) return form(401, "That is not the token of this server.");
    return new Response(null, {
      status: 303,
      headers: {
        Location: "/",
        "Set-Cookie": `${cookieName}=${this.pass}; HttpOnly; SameSite=Strict; Path=/`,
        "Cache-Control": "no-store",
      },
    });
  }
}

/** As long for any two: how far they agree cannot be measured. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHmac("sha256", "tierwall").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/** The one page that needs no script, as it is all that a stranger gets. */
function form(status: number, complaint: string): Response {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Tierwall</title>
  </head>
  <body>
    <main>
      <h1>Tierwall</h1>
      <p>Who started this server was told a token. In a cluster it is in the Secret of the controller.</p>
      <form method="post" action="/login">
        <label>Token <input type="password" name="token" autocomplete="current-password" required autofocus /></label>
        <button>Open</button>
      </form>
      <p role="alert">${complaint}</p>
    </main>
  </body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy":
        "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    },
  });
}
