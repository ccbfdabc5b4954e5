/** Calls the authority's API with a token that the service gets by mutual TLS (protocol facts, section 8). */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Background } from "../base/repeater.js";
import { messageOf } from "../base/thrown.js";
import { toIso } from "../fiscal/time.js";
import { apiBase } from "./address.js";
import { readCommands, readPackageAnswer, readToken } from "./answers.js";
import { explainFailure, oddAnswer } from "./explain-failure.js";
import { type HttpsAnswer, HttpsClient, type HttpsClientOptions, type Question } from "./https-client.js";
import {
  type AuditPackage,
  type AuthorityCommand,
  AuthorityError,
  type PackageAnswer,
  type ProofRequest,
  type TaxAuthority,
} from "./tax-authority.js";
import { type Token, TokenKeeper } from "./token.js";

export interface HttpsAuthorityOptions extends HttpsClientOptions, Pick<Background, "clock" | "timer"> {
  /** The authority's address, from the card's certificate or a setting. */
  readonly address: string;
  /** Gets a token with the key in the card. Default: with {@link HttpsClientOptions.certificate}. */
  readonly requestToken?: (() => Promise<Token>) | undefined;
}

const TOKEN_HEADER = "TaxCoreAuthenticationToken";
/** ms for which a token is valid if the authority does not say when it expires (protocol facts, section 8). */
const USUAL_LIFE_MS = 8 * 3_600_000;
/** HTTP statuses after which the service tries again later. */
const LATER: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
/** Maximum number of characters of the authority's message that an error repeats. */
const QUOTE_LENGTH = 200;

export class HttpsAuthority implements TaxAuthority {
  private readonly client: HttpsClient;
  private readonly base: URL;
  private readonly token: TokenKeeper;
  date: EpochMs | undefined;

  /** @throws AuthorityError `unreachable` if the address is not valid */
  constructor(private readonly options: HttpsAuthorityOptions) {
    const { address, timer, requestToken = () => this.askForToken() } = options;
    this.base = baseOf(address);
    this.client = new HttpsClient(options);
    this.token = new TokenKeeper(requestToken, () => timer.now());
  }

  commands(): Promise<readonly AuthorityCommand[]> {
    return this.ask("GET", "sdc/commands", undefined, readCommands);
  }

  announce(online: boolean): Promise<readonly AuthorityCommand[]> {
    return this.ask("PUT", "sdc/status", JSON.stringify(online), readCommands);
  }

  report(commandId: string, success: boolean): Promise<void> {
    // The body of the answer to a report has no meaning.
    return this.ask("PUT", `sdc/commands/${encodeURIComponent(commandId)}`, JSON.stringify(success), () => undefined);
  }

  submit({ key, iv, payload }: AuditPackage): Promise<PackageAnswer> {
    return this.ask("POST", "sdc/audit", JSON.stringify({ key, iv, payload }), readPackageAnswer);
  }

  requestProof({ auditRequestPayload, sum, limit }: ProofRequest): Promise<readonly AuthorityCommand[]> {
    const block = Buffer.from(auditRequestPayload).toString("base64");
    // JSON.stringify does not accept bigint, and a number cannot hold every amount of the card.
    const body = `{"auditRequestPayload":"${block}","sum":${sum},"limit":${limit}}`;
    return this.ask("POST", "sdc/audit-proof", body, readCommands);
  }

  /** Gets a token, to check that the authority can be reached and accepts us. @throws AuthorityError */
  async signIn(): Promise<void> {
    await this.token.get();
  }

  close(): void {
    this.client.close();
  }

  /** Makes a call. If the authority no longer accepts the token, gets a new token and repeats the call once. */
  private async ask<T>(
    method: Question["method"],
    path: string,
    body: string | undefined,
    read: (body: string) => T,
  ): Promise<T> {
    const url = new URL(path, this.base);
    const where = `${method} ${url.href}`;
    const attempt = async (): Promise<{ answer: HttpsAnswer; token: string }> => {
      const token = await this.token.get();
      const answer = await this.send(where, { method, url, body, headers: { [TOKEN_HEADER]: token } });
      if (answer.status === 401) this.token.forget(token);
      return { answer, token };
    };
    const first = await attempt();
    const { answer, token } = first.answer.status === 401 ? await attempt() : first;
    return readAnswer(where, answer, read, token);
  }

  /** Gets a token with our certificate: GET /api/v3/sdc/token. @throws AuthorityError */
  async askForToken(): Promise<Token> {
    const url = new URL("sdc/token", this.base);
    const where = `GET ${url.href}`;
    try {
      const answer = await this.send(where, { method: "GET", url, headers: {} });
      const { token, expiresAt } = readAnswer(where, answer, readToken);
      // Use the authority's clock if the answer has a date, because our clock may be wrong.
      const now = dateOf(answer) ?? this.options.clock.now();
      return { text: token, life: expiresAt === undefined ? USUAL_LIFE_MS : expiresAt - now };
    } catch (error) {
      throw error instanceof AuthorityError ? this.withDates(error) : error;
    }
  }

  /** Adds the certificate's dates to an error if they explain why the certificate was refused. */
  private withDates(error: AuthorityError): AuthorityError {
    const { certificate, clock } = this.options;
    if (!certificate || (error.fault !== "not-trusted" && error.fault !== "refused")) return error;
    const { file, validFrom, validTo } = certificate;
    const now = clock.now();
    if (now >= validFrom && now <= validTo) return error;
    const dates = now > validTo ? `expired on ${toIso(validTo)}` : `is not valid before ${toIso(validFrom)}`;
    return new AuthorityError(error.fault, `${error.message}. The certificate in ${file} ${dates}`, error.status);
  }

  private async send(where: string, question: Question): Promise<HttpsAnswer> {
    try {
      const answer = await this.client.send(question);
      // Use the date of an HTTPS answer only: a program on this machine that handles TLS for us may put its own time
      // into the answer.
      this.date = this.base.protocol === "https:" ? dateOf(answer) : undefined;
      return answer;
    } catch (error) {
      throw explainFailure(error, where, this.client);
    }
  }
}

function dateOf({ headers }: HttpsAnswer): EpochMs | undefined {
  return Date.parse(headers.date ?? "") || undefined;
}

function baseOf(address: string): URL {
  try {
    return apiBase(address);
  } catch (error) {
    throw new AuthorityError("unreachable", `the authority's address: ${messageOf(error)}; set it with authorityUrl`);
  }
}

function readAnswer<T>(where: string, answer: HttpsAnswer, read: (body: string) => T, token?: string): T {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) {
    try {
      return read(body);
    } catch (error) {
      throw oddAnswer(where, messageOf(error), status);
    }
  }
  if (status < 400) throw oddAnswer(where, `HTTP ${status}, which this API does not use`, status);
  const fault = LATER.has(status) ? "unreachable" : "refused";
  const quote = headers["content-type"]?.includes("json") ? quoteOf(body, token) : "";
  const advice = fault === "unreachable" ? "the service tries again later" : adviceFor(status);
  throw new AuthorityError(fault, `${where}: the authority answered HTTP ${status}${quote}; ${advice}`, status);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return "ask the authority whether certificate and card are registered";
  return status === 404 ? "check the address (authorityUrl)" : "ask the authority";
}

/** Quotes the authority's message as `: "message"`, printable and without the token; "" if the body has no message. */
function quoteOf(body: string, token: string | undefined): string {
  let message: unknown;
  try {
    const value: unknown = JSON.parse(body);
    message = value !== null && typeof value === "object" && "message" in value ? value.message : value;
  } catch {
    return "";
  }
  if (typeof message !== "string" || message === "") return "";
  const words = (token === undefined ? message : message.replaceAll(token, "***")).replace(/[^\P{C}]/gu, " ");
  return `: "${words.slice(0, QUOTE_LENGTH)}"`;
}
