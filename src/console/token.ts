/**
 * The token of the console's private pages, for a service behind a proxy, where every caller has the proxy's address.
 * The token is in a file that only the service's user, and root, can read. A browser sends the token once and gets a
 * cookie that scripts cannot read and other sites cannot use. A program sends the token as a bearer token. The token is
 * never in a URL or a log.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Request } from "express";
import type { Random } from "../base/random.js";
import { readText } from "../base/read-text.js";
import { writeDurably } from "../base/write-durably.js";
import { plainJson } from "../http/body.js";
import type { CallHandler } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import { everybody, type Trust, thisMachine } from "../http/trust.js";

const TOKEN_FILE = "tillseal.token";
/** Length of the token in bytes. */
const TOKEN_BYTES = 32;

/** Returns the token of a data folder. If the folder has no token, the function creates one. */
export function installedToken(dataDir: string, random: Random): string {
  const kept = readToken(dataDir);
  if (kept !== undefined) return kept;
  const made = Buffer.from(random.bytes(TOKEN_BYTES)).toString("base64url");
  writeDurably(join(dataDir, TOKEN_FILE), `${made}\n`);
  return made;
}

/** Reads the token of a data folder. @returns undefined if the folder has no token */
function readToken(dataDir: string): string | undefined {
  const file = join(dataDir, TOKEN_FILE);
  const text = existsSync(file) ? readText(file).trim() : "";
  return text === "" ? undefined : text;
}

/** Trusts callers that send the token, or the cookie that they got for the token. */
function holdsToken(token: string): Trust {
  const { name, value } = cookieOf(token);
  return ({ headers: { authorization = "", cookie = "" } }) => {
    const cookies = cookie.split(";").map((part) => part.trim());
    const given = cookies.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
    return isSame(authorization, `Bearer ${token}`) || isSame(given, value);
  };
}

/** Trusts callers that send this secret, such as a command of the user who can read it. */
export function holdsBearer(secret: string): Trust {
  return ({ headers: { authorization = "" } }) => isSame(authorization, `Bearer ${secret}`);
}

/** The secrets that a caller may send to be trusted. */
export interface Secrets {
  /** The secret from the file `tillseal.running.json` in the data folder, for commands. */
  readonly secret: string;
  /** The console's token; undefined without the setting `consoleToken`. */
  readonly token?: string | undefined;
}

/** Trusts callers that send one of the secrets. */
export function holdsSecret({ secret, token }: Secrets): Trust {
  const ofCommand = holdsBearer(secret);
  const ofConsole = token === undefined ? undefined : holdsToken(token);
  return (request) => ofCommand(request) || ofConsole?.(request) === true;
}

/**
 * Decides who may see the shop's private data: callers with a secret. Without the console's token, these are callers on
 * this machine, or with the emulator all callers.
 */
export function trustOf(card: "emulator" | "pcsc", secrets: Secrets): Trust {
  if (secrets.token !== undefined) return holdsSecret(secrets);
  return card === "pcsc" ? thisMachine : everybody;
}

/**
 * Computes what a service answers to a nonce, so that a command knows that the service has the secret before the
 * command sends it. The port is a part of it: another program on the port of an earlier start could otherwise pass the
 * nonce on to the service that runs now.
 */
export function proofOf(secret: string, nonce: string, port: number): string {
  return createHmac("sha256", secret).update(`tillseal ${port} ${nonce}`).digest("base64url");
}

/** Whether a service has proven that it has the secret. @param url the address at which it answered */
export function isProven(proof: unknown, secret: string, nonce: string, url: string): boolean {
  const port = Number(new URL(url).port || 80);
  return typeof proof === "string" && isSame(proof, proofOf(secret, nonce, port));
}

/**
 * Exchanges `{"token":"..."}` for a cookie. The cookie is valid until the browser session ends or the token changes.
 */
export function postToken(token: string): CallHandler {
  const { name, value } = cookieOf(token);
  return ({ request, response }) => {
    if (!isSame(tokenIn(request), token)) {
      throw new HttpError(
        403,
        "token",
        `This is not the token of this service; it is in ${TOKEN_FILE} of its data folder`,
      );
    }
    response.setHeader("Set-Cookie", `${name}=${value}; HttpOnly; SameSite=Strict; Path=/console`);
  };
}

/** The token in a body; empty for any other body. A wrong body gets the answer of a wrong token, which quotes nothing. */
function tokenIn(request: Request): string {
  try {
    const { token } = plainJson(request) as { readonly token?: unknown };
    return typeof token === "string" ? token.trim() : "";
  } catch {
    return "";
  }
}

/**
 * Makes the name and the value of the cookie. Each token has its own cookie name, because browsers share cookies
 * between ports.
 */
function cookieOf(token: string): { name: string; value: string } {
  const derived = (purpose: string) => createHmac("sha256", token).update(purpose).digest("base64url");
  return { name: `tillseal-${derived("name").slice(0, 8)}`, value: derived("value") };
}

/** Compares two texts in constant time, also if their lengths differ. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
