import { createHmac, timingSafeEqual } from "node:crypto";
import { loginForm } from "./login-form.js";
import { problemResponse } from "./problem.js";

const cookieName = "tierwall";
/** The token and the rest of the form. */
const longestForm = 4096;

/** Two headers of a request. */
export interface Credentials {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
}

/** Lets in clients that have the token: scripts send it with every request, users once in a form. */
export class Entry {
  /** What a browser keeps instead of the token, which cannot be derived from it. */
  private readonly pass: string;

  constructor(private readonly token: string) {
    this.pass = createHmac("sha256", token).update("tierwall page").digest("base64url");
  }

  isOpenTo({ authorization, cookie }: Credentials): boolean {
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    if (bearer !== undefined) return isEqual(bearer, this.token);
    const cookies = (cookie ?? "").split(";").map((one) => one.trim());
    return cookies.some(
      (one) => one.startsWith(`${cookieName}=`) && isEqual(one.slice(cookieName.length + 1), this.pass),
    );
  }

  /** The response to a client that is not let in. */
  refusal(request: Request): Response {
    if (request.method === "GET" && new URL(request.url).pathname === "/") return loginForm();
    return problemResponse({
      status: 401,
      detail:
        "send the token of this server as `Authorization: Bearer TOKEN`, or open / in a browser and log in",
      headers: { "WWW-Authenticate": 'Bearer realm="tierwall"' },
    });
  }

  /** Handles the form. */
  async logIn(request: Request): Promise<Response> {
    const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
    if (!(length <= longestForm)) return problemResponse({ status: 413, detail: "the form is too large" });
    const given = new URLSearchParams(await request.text()).get("token") ?? "";
    if (!isEqual(given.trim(), this.token)) return loginForm("That is not the token of this server.");
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

/** In constant time: how far two tokens agree cannot be measured. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHmac("sha256", "tierwall").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
