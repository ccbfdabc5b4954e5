/**
 * A tax authority that was written from section 8 of the protocol facts alone: it shares no code with the service or with the
 * emulated authority, only node:https and certificates of the openssl command. It does what a test chose, byte for byte.
 */
import { constants, createDecipheriv, createPrivateKey, privateDecrypt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { TestCa } from "./openssl.js";

/** A command as it goes out. */
export interface PlainCommand {
  readonly commandId: string;
  readonly type: number | null;
  readonly payload: string | null;
  readonly uid: string | null;
}

export interface PlainOptions {
  /** UID of the card. */
  readonly uid: string;
  readonly commands: readonly PlainCommand[];
  /** Spells the property names of each answer. */
  readonly spell?: (name: string) => string;
  /** Property with the end of the token's life; undefined for none. */
  readonly tokenEnd?: "expiresAt" | "expireAt" | undefined;
  /** PEM file with the private key for which cards encrypt. */
  readonly keyFile: string;
}

/** The content of a package: the posted invoice and the answer of the service. */
export interface OpenedPackage {
  readonly request: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

export interface PlainAuthority {
  /** The address without a slash at the end, as in certificates. */
  readonly url: string;
  /** PEM files: the issuer of the server's certificate, and the identity of a service. */
  readonly files: { readonly ca: string; readonly certificate: string; readonly key: string };
  /** What was reported for each command, by its id. */
  readonly reports: ReadonlyMap<string, boolean>;
  readonly packages: readonly OpenedPackage[];
  /** Requests that a real authority would refuse, with the reason. */
  readonly refused: readonly string[];
}

export const plainCommand = (uid: string, type: number, payload: string): PlainCommand => ({
  commandId: randomUUID(),
  type,
  payload,
  uid,
});

/** Runs until the end of the test. */
export async function openPlainAuthority(folder: string, options: PlainOptions): Promise<PlainAuthority> {
  const { uid, spell = (name) => name, tokenEnd = "expiresAt", keyFile } = options;
  const ca = new TestCa(folder);
  const own = ca.issue("server", { names: "DNS:localhost", rsa: true });
  const shop = ca.issue("shop", { subject: `/CN=shop/serialNumber=${uid}`, rsa: true });
  const reports = new Map<string, boolean>();
  const packages: OpenedPackage[] = [];
  const refused: string[] = [];
  const token = randomUUID();
  let waiting = options.commands;

  const routes: Record<string, (socket: TLSSocket, body: string) => unknown> = {
    "GET /token": (socket) => {
      if (!socket.authorized || socket.getPeerCertificate().subject.serialNumber !== uid) return undefined;
      const end = new Date(Date.now() + 8 * 3_600_000).toISOString();
      return { token, ...("tokenEnd" in options && options.tokenEnd === undefined ? {} : { [tokenEnd]: end }) };
    },
    "GET /commands": () => waiting,
    "PUT /status": () => waiting,
    "POST /audit": (_socket, body) => {
      packages.push(openPackage(JSON.parse(body) as SealedPackage, keyFile));
      return { status: 4, commands: waiting };
    },
    "POST /audit-proof": () => waiting,
  };
  const report = (path: string, body: string) => {
    const id = /^PUT \/commands\/(.+)$/.exec(path)?.[1];
    const known = waiting.find(({ commandId }) => commandId === id);
    if (!known) return undefined;
    waiting = waiting.filter((command) => command !== known);
    reports.set(known.commandId, body === "true");
    return true;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = `${request.method} ${request.url}`.replace("/api/v3/sdc", "");
    const body = await text(request);
    const hasToken = path === "GET /token" || request.headers.taxcoreauthenticationtoken === token;
    const content = hasToken ? (routes[path]?.(request.socket as TLSSocket, body) ?? report(path, body)) : undefined;
    if (content === undefined) refused.push(path);
    response.writeHead(content === undefined ? 400 : 200, { "Content-Type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(respell(content ?? null, spell)));
  };

  const server = createServer(
    {
      cert: readFileSync(own.certificate),
      key: readFileSync(own.key),
      ca: ca.pem,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => void answer(request, response),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const files = { ca: join(folder, "ca.crt"), certificate: shop.certificate, key: shop.key };
  return { url: `https://localhost:${port}`, files, reports, packages, refused };
}

function respell(value: unknown, spell: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => respell(item, spell));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [spell(name), respell(content, spell)]));
}

interface SealedPackage {
  readonly key: string;
  readonly iv: string;
  readonly payload: string;
}

function openPackage({ key, iv, payload }: SealedPackage, keyFile: string): OpenedPackage {
  const secret = createPrivateKey(readFileSync(keyFile));
  const unsealed = (base64: string) => {
    const block = privateDecrypt({ key: secret, padding: constants.RSA_NO_PADDING }, Buffer.from(base64, "base64"));
    if (block[0] !== 0 || block[1] !== 2) throw new Error("the RSA block has no padding of PKCS#1 v1.5");
    return block.subarray(block.indexOf(0, 2) + 1);
  };
  const decipher = createDecipheriv("aes-256-cbc", unsealed(key), unsealed(iv));
  const plain = Buffer.concat([decipher.update(payload, "base64"), decipher.final()]);
  return JSON.parse(plain.toString("utf8")) as OpenedPackage;
}
