/** The API that services call (protocol facts, section 8): `/api/v3/sdc`. */
import type { TLSSocket } from "node:tls";
import { type Request, type RequestHandler, Router } from "express";
import type { AuditPackage, AuthorityCommand, PackageAnswer } from "../../src/authority/tax-authority.js";
import { toIso } from "../../src/fiscal/time.js";
import { bodyText, rawBody } from "../../src/http/body.js";
import { ApiError } from "./api-error.js";
import { uidOf } from "./tls-identity.js";
import type { Token } from "./tokens.js";

export const SDC_PREFIX = "/api/v3/sdc";
/** Header that carries the token. */
export const TOKEN_HEADER = "TaxCoreAuthenticationToken";

/** A request for a proof of audit, as it was sent. */
export interface SentProofRequest {
  readonly auditRequestPayload: Uint8Array;
  /** Scaled by 10,000. */
  readonly sum: bigint;
  /** Scaled by 10,000. */
  readonly limit: bigint;
}

/** What the API asks of the authority. Methods throw {@link ApiError}. */
export interface SdcHandlers {
  token(uid: string): Token;
  /** The UID that a token was issued for, or undefined. */
  holder(token: string): string | undefined;
  commands(uid: string): readonly AuthorityCommand[];
  announce(uid: string, online: boolean): void;
  report(uid: string, commandId: string, success: boolean): void;
  submit(uid: string, auditPackage: AuditPackage): Promise<PackageAnswer["status"]>;
  requestProof(uid: string, request: SentProofRequest): void;
}

export function sdcRouter(handlers: SdcHandlers): Router {
  const router = Router();
  const holder = (request: Request) => requireHolder(request, handlers);
  const route = (handler: (request: Request, uid: string) => unknown): RequestHandler[] => [
    rawBody,
    async (request, response) => void response.json(await handler(request, holder(request))),
  ];
  router.get("/token", (request, response) => {
    const { token, expiresAt } = handlers.token(clientUid(request));
    response.json({ token, expiresAt: toIso(expiresAt) });
  });
  router.get(
    "/commands",
    route((_request, uid) => handlers.commands(uid)),
  );
  router.put(
    "/status",
    route((request, uid) => {
      handlers.announce(uid, readBoolean(request));
      return handlers.commands(uid);
    }),
  );
  router.put(
    "/commands/:commandId",
    route((request, uid) => {
      handlers.report(uid, String(request.params.commandId), readBoolean(request));
      return true;
    }),
  );
  router.post(
    "/audit",
    route(async (request, uid) => {
      const status = await handlers.submit(uid, readPackage(json(request)));
      return { status, commands: handlers.commands(uid) };
    }),
  );
  router.post(
    "/audit-proof",
    route((request, uid) => {
      handlers.requestProof(uid, readProofRequest(json(request)));
      return handlers.commands(uid);
    }),
  );
  return router;
}

function clientUid(request: Request): string {
  const socket = request.socket as TLSSocket;
  const { raw } = socket.getPeerCertificate();
  // Node gives an empty object for a client without a certificate.
  if (!(raw as Buffer | undefined)) throw new ApiError(403, "A token needs a client certificate");
  if (!socket.authorized) {
    throw new ApiError(403, `This authority did not issue the client certificate: ${socket.authorizationError}`);
  }
  const uid = uidOf(raw);
  if (uid === undefined) throw new ApiError(403, "The subject of the client certificate has no UID as serialNumber");
  return uid;
}

function requireHolder(request: Request, handlers: SdcHandlers): string {
  const token = request.get(TOKEN_HEADER);
  if (token === undefined) throw new ApiError(401, `The header ${TOKEN_HEADER} is missing`);
  const uid = handlers.holder(token);
  if (uid === undefined) throw new ApiError(401, `The token is unknown or has expired; GET ${SDC_PREFIX}/token`);
  return uid;
}

function readBoolean(request: Request): boolean {
  const text = bodyText(request).trim();
  if (text === "true" || text === "false") return text === "true";
  throw new ApiError(400, "The body must be true or false");
}

function json(request: Request): unknown {
  try {
    return JSON.parse(bodyText(request)) as unknown;
  } catch {
    throw new ApiError(400, "The body is not JSON");
  }
}

const PACKAGE_FIELDS = ["key", "iv", "payload"] as const;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** @throws ApiError 400 */
export function readPackage(body: unknown): AuditPackage {
  const fields = (body ?? {}) as Record<string, unknown>;
  for (const name of PACKAGE_FIELDS) {
    const value = fields[name];
    if (typeof value !== "string" || !BASE64.test(value)) throw new ApiError(400, `${name} must be base64`);
  }
  const { key, iv, payload } = fields as unknown as AuditPackage;
  return { key, iv, payload };
}

/** Bytes of the card's block, and of the prefix that some programs send along. */
const BLOCK_BYTES = 256;
const PREFIX_BYTES = 4;

function readProofRequest(body: unknown): SentProofRequest {
  const { auditRequestPayload, sum, limit } = (body ?? {}) as Record<string, unknown>;
  if (typeof auditRequestPayload !== "string" || !BASE64.test(auditRequestPayload)) {
    throw new ApiError(400, "auditRequestPayload must be base64");
  }
  const bytes = Buffer.from(auditRequestPayload, "base64");
  if (bytes.length !== BLOCK_BYTES && bytes.length !== PREFIX_BYTES + BLOCK_BYTES) {
    throw new ApiError(400, `auditRequestPayload has ${bytes.length} bytes; the card's block has ${BLOCK_BYTES}`);
  }
  return {
    auditRequestPayload: bytes.subarray(-BLOCK_BYTES),
    sum: integer("sum", sum),
    limit: integer("limit", limit),
  };
}

function integer(name: string, value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new ApiError(400, `${name} must be an integer as the card tells it: the amount times 10,000`);
}
