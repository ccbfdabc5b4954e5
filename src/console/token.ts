/**
 * The token of the console's private pages, for a service behind a proxy: every caller then has the proxy's address. It is
 * in a file that only the service's own user, and root, can read. A browser gives it once and gets a cookie that scripts
 * cannot read and other sites cannot use; a program sends it as a bearer token. It stands in no address and in no log.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestHandler } from "express";
import { jsonBody } from "../http/body.js";
import { HttpError } from "../http/errors.js";
import type { Random } from "../random.js";
import { writeDurably } from "../write-durably.js";
import { everybody, type Trust, thisMachine } from "./trust.js";

const TOKEN_FILE = "tillseal.token";
/** Too long to guess. */
const TOKEN_BYTES = 32;

/** The token of a data folder, made once. */
export function installedToken(dataDir: string, random: Random): string {
  const kept = readToken(dataDir);
  if (kept !== undefined) return kept;
  const made = Buffer.from(random.bytes(TOKEN_BYTES)).toString("base64url");
  writeDurably(join(dataDir, TOKEN_FILE), `${made}\n`);
  return made;
}

/** Undefined where there is none. */
export function readToken(dataDir: string): string | undefined {
  const file = join(dataDir, TOKEN_FILE);
  const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return text === "" ? undefined : text;
}

/** Callers that send the token, or the cookie that they got for it. */
export function holdsToken(token: string): Trust {
  const { name, value } = cookieOf(token);
  return ({ headers: { authorization = "", cookie = "" } }) => {
    const cookies = cookie.split(";").map((part) => part.trim());
    const given = cookies.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
    return isSame(authorization, `Bearer ${token}`) || isSame(given, value);
  };
}

/** Whom the console of a card shows what is the shop's own. @param token undefined where the address decides */
export function trustOf(card: "emulator" | "pcsc", token: string | undefined): Trust {
  if (token !== undefined) return holdsToken(token);
  return card === "pcsc" ? thisMachine : everybody;
}

/** `{"token":"..."}` for a cookie. It ends with the browser, and with the token. */
export function postToken(token: string): RequestHandler {
  const { name, value } = cookieOf(token);
  return (request, response) => {
    const { token: given } = (jsonBody(request) ?? {}) as { token?: unknown };
    if (typeof given !== "string" || !isSame(given.trim(), token)) {
      throw new HttpError(
        403,
        "token",
        `This is not the token of this service; it is in ${TOKEN_FILE} of its data folder`,
      );
    }
    response.setHeader("Set-Cookie", `${name}=${value}; HttpOnly; SameSite=Strict; Path=/console`);
    response.status(204).end();
  };
}

/** Browsers do not tell ports apart: each token has a cookie with a name of its own. */
function cookieOf(token: string): { name: string; value: string } {
  const derived = (purpose: string) => createHmac("sha256", token).update(purpose).digest("base64url");
  return { name: `tillseal-${derived("name").slice(0, 8)}`, value: derived("value") };
}

/** In a time that says nothing about where they differ, nor about how long they are. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
