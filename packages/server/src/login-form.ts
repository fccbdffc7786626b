import { createHash } from "node:crypto";

/** In the colours of the page, whose files are only for clients that are logged in. */
const style = `
  :root { color-scheme: light dark; --ground: #f6f7f8; --surface: #fff; --ink: #1a1f26; --muted: #59636f; --line: #7d8894;
    --accent: #0a5fb8; --on-accent: #fff; --denied: #b3261e; }
  @media (prefers-color-scheme: dark) {
    :root { --ground: #13161a; --surface: #1a1e24; --ink: #e6e9ed; --muted: #a3adb8; --line: #6c7784;
      --accent: #6fb3fa; --on-accent: #0d1a28; --denied: #ff8a80; }
  }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--ink);
    font: 1rem/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
  main { box-sizing: border-box; width: min(26rem, 100vw); padding: 2rem; background: var(--surface); border-radius: 6px; }
  h1 { margin: 0 0 0.5rem; font-size: 1.375rem; }
  p { margin: 0 0 1rem; color: var(--muted); }
  label { display: grid; gap: 0.25rem; margin-bottom: 1rem; }
  input, button { font: inherit; padding: 0.5rem 0.75rem; border-radius: 6px; border: 1px solid var(--line); }
  input { background: var(--ground); color: inherit; }
  button { border-color: var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  [role="alert"] { margin: 1rem 0 0; color: var(--denied); }
`;

const styleHash = createHash("sha256").update(style).digest("base64");

/**
 * Asks for the token, without a script: it is all that a client without a token gets. It is sent to its own address, so that
 * what is after `#`, such as a shared question, is still there afterwards.
 */
export function loginForm(complaint?: string): Response {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Tierwall</title>
    <link rel="icon" href="data:," />
    <style>${style}</style>
  </head>
  <body>
    <main>
      <h1>Tierwall</h1>
      <p>This page needs a token. It was printed when the server was started, or is in the file that the server reads it from.</p>
      <form method="post">
        <label>Token <input type="password" name="token" autocomplete="current-password" required autofocus /></label>
        <button>Open</button>
      </form>
      ${complaint === undefined ? "" : `<p role="alert">${complaint}</p>`}
    </main>
  </body>
</html>
`;
  return new Response(html, {
    status: 401,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      // Without one, a browser does not send the origin of a form, and it would be refused as that of another site.
      "Referrer-Policy": "same-origin",
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    },
  });
}
