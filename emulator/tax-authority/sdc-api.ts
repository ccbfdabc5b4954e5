/** The API that services call (protocol facts, section 8): `/api/v3/sdc`. */
import type { TLSSocket } from "node:tls";
import { type Request, type RequestHandler, Router, raw } from "express";
import { PACKAGE_STATUS } from "../../src/authority/tax-authority.js";
import { toIso } from "../../src/fiscal/time.js";
import { bodyText } from "../../src/http/body.js";
import { CallError } from "../../src/http/call-errors.js";
import { endpoint } from "../../src/http/endpoint.js";
import { knownNames, respelled } from "../../src/schema/respelled.js";
import { auditBlock, type SentProofRequest } from "./audits.js";
import { clientOf } from "./client-certificate.js";
import { inUpperCase, unreadableCommands } from "./odd-spellings.js";
import { askForCertificate } from "./renegotiation.js";
import type { TaxOffice } from "./tax-office.js";

export const SDC_PREFIX = "/api/v3/sdc";
export const TOKEN_HEADER = "TaxCoreAuthenticationToken";

/** The meaning of each status, for people. */
export const STATUS_WORDS: Readonly<Record<number, string>> = {
  [PACKAGE_STATUS.notVerifiedYet]: "not verified yet",
  [PACKAGE_STATUS.signatureValid]: "signature valid, not verified yet",
  [PACKAGE_STATUS.signatureInvalid]: "signature invalid",
  [PACKAGE_STATUS.internalDataWrong]: "internal data or result wrong",
  [PACKAGE_STATUS.verified]: "verified",
  [PACKAGE_STATUS.rateGroupUnknown]: "rate group unknown, or taxes wrong",
  [PACKAGE_STATUS.certificateRevoked]: "certificate revoked",
};

/** All endpoints of the API. They keep readers of their own, because services spell bodies in several ways. */
export const SDC_ENDPOINTS = [
  endpoint(
    "token",
    "GET /token",
    "for a client certificate in the TLS handshake: `{token, expiresAt}`; valid for 8 hours, and the same until then",
  ),
  endpoint("commands", "GET /commands", "the commands that wait for the card, oldest first"),
  endpoint(
    "status",
    "PUT /status",
    "`true` or `false`: whether the service is online; no body means `true`. The answer is as that of `GET /commands`",
  ),
  endpoint(
    "report",
    "PUT /commands/:commandId",
    "`true` or `false`: whether the command was executed. The answer is `true`; the command is not sent again",
  ),
  endpoint("audit", "POST /audit", "a package: `{key, iv, payload}`. The answer is `{status, commands}`"),
  endpoint(
    "proof",
    "POST /audit-proof",
    "`{auditRequestPayload, sum, limit}`. The proof is one of the commands in this answer or a later one",
  ),
];
type SdcEndpointName = (typeof SDC_ENDPOINTS)[number]["name"];

const NAMES = knownNames(["key", "iv", "payload", "auditRequestPayload", "sum", "limit"]);

/** Maximum size of a body. It is enough for the largest sale that the service accepts, after encryption and base64. */
const MOST_BODY_BYTES = 8 * 1024 * 1024;

export function sdcRouter(office: TaxOffice): Router {
  const router = Router();
  /** Makes the handlers of an endpoint. They check the token before they read the body. */
  const route = (handler: (request: Request, uid: string) => unknown): RequestHandler[] => [
    (request, _response, next) => {
      requireHolder(request, office);
      next();
    },
    raw({ type: () => true, limit: MOST_BODY_BYTES }),
    (request, response) => {
      const answer = handler(request, requireHolder(request, office));
      response.json(office.faults.upperCaseNames ? inUpperCase(answer) : answer);
    },
  ];
  const commands = (uid: string): readonly object[] => [
    ...(office.faults.unreadableCommands ? unreadableCommands(uid) : []),
    ...office.commands(uid),
  ];
  const body = (request: Request) => {
    const content = json(request);
    return office.faults.strict ? content : respelled(content, NAMES);
  };
  const routes: Readonly<Record<SdcEndpointName, RequestHandler | RequestHandler[]>> = {
    token: async (request, response) => {
      if (office.faults.renegotiation) await askForCertificate(request.socket as TLSSocket);
      const { uid, der } = clientOf(request.socket as TLSSocket);
      office.admit(uid, der);
      const { token, expiresAt } = office.token(uid);
      const { tokenExpiry, upperCaseNames } = office.faults;
      const answer = { token, ...(tokenExpiry === "none" ? {} : { [tokenExpiry]: toIso(expiresAt) }) };
      response.json(upperCaseNames ? inUpperCase(answer) : answer);
    },
    commands: route((_request, uid) => commands(uid)),
    status: route((request, uid) => {
      // No body means online, but the fault `strict` requires a body.
      const hasNoBody = !office.faults.strict && bodyText(request).trim() === "";
      office.announce(uid, hasNoBody || readBoolean(request));
      return commands(uid);
    }),
    report: route((request, uid) => {
      office.report(uid, String(request.params.commandId), readBoolean(request));
      return true;
    }),
    audit: route((request, uid) => ({
      status: office.submit(uid, body(request)),
      commands: commands(uid),
    })),
    proof: route((request, uid) => {
      office.requestProof(uid, readProofRequest(bodyText(request), body(request)));
      return commands(uid);
    }),
  };
  for (const { name, method, path } of SDC_ENDPOINTS) {
    router[method.toLowerCase() as "get" | "put" | "post"](path, routes[name]);
  }
  return router;
}

function requireHolder(request: Request, office: TaxOffice): string {
  const token = request.get(TOKEN_HEADER);
  if (token === undefined) throw new CallError(401, `The header ${TOKEN_HEADER} is missing`);
  const uid = office.tokenHolder(token);
  if (uid === undefined)
    throw new CallError(401, `The token is unknown or has expired; get a new one with GET ${SDC_PREFIX}/token`);
  return uid;
}

function readBoolean(request: Request): boolean {
  const text = bodyText(request).trim();
  if (text === "true" || text === "false") return text === "true";
  throw new CallError(400, "The body must be true or false");
}

function json(request: Request): unknown {
  try {
    return JSON.parse(bodyText(request)) as unknown;
  } catch {
    throw new CallError(400, "The body is not JSON");
  }
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function readProofRequest(text: string, body: unknown): SentProofRequest {
  const { auditRequestPayload, sum, limit } = (body ?? {}) as Record<string, unknown>;
  if (typeof auditRequestPayload !== "string" || !BASE64.test(auditRequestPayload)) {
    throw new CallError(400, "auditRequestPayload must be base64");
  }
  const bytes = Buffer.from(auditRequestPayload, "base64");
  return {
    auditRequestPayload: auditBlock(bytes),
    sum: integer("sum", sum, text),
    limit: integer("limit", limit, text),
  };
}

/** @param text the body, because a number in JSON can have more digits than a JavaScript number keeps */
function integer(name: string, value: unknown, text: string): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  const [, digits] = new RegExp(`"${name}"\\s*:\\s*(\\d{16,20})\\s*[,}]`, "i").exec(text) ?? [];
  if (digits !== undefined && Number(digits) === value) return BigInt(digits);
  throw new CallError(400, `${name} must be an integer from the card: the amount times 10,000`);
}
