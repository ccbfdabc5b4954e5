/** The service that the flags name: an emulator that proves itself, or a service whose card may be real. */
import { once } from "node:events";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { connect } from "node:net";
import { codeOf, messageOf } from "../../src/base/thrown.js";
import { UserError } from "../../src/base/user-error.js";
import { surroundings } from "../../src/commands/surroundings.js";
import { ConfigError } from "../../src/config/config-error.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import type { ForeignService } from "./foreign-stage.js";

/** A running service to play scenarios against. */
export type Remote =
  /** An emulator. It must prove that the control interface at `controlUrl` controls it. */
  | { readonly baseUrl: string; readonly controlUrl: string }
  /** Any other service. Its card may be a real card. */
  | ForeignService;

/** The PIN of the user's card; undefined if the card is emulated or the user gave none. */
export function remotePin(remote: Remote): string | undefined {
  return "allowed" in remote ? remote.allowed.pin : undefined;
}

/** The service and the control interface that a command uses if its line names none. */
export const defaultUrl = () => surroundings().env.TILLSEAL_URL ?? "http://localhost:8431";
export const defaultControlUrl = () => surroundings().env.TILLSEAL_CONTROL_URL ?? "http://localhost:8432";

/** Path of the control interface. */
export const CONTROL_PREFIX = "/control";

/**
 * Reads the address of a service, without its path: `http://localhost:8431` for `http://localhost:8431/api/v3/`.
 * @param flag the flag or the argument with the address, for the error
 * @throws ConfigError
 */
export function serviceAddress(flag: string, text: string): string {
  const other =
    "a control interface; expected the service, such as http://localhost:8431, which tillseal serve prints first";
  return addressOf(flag, text, { example: "http://localhost:8431", path: API_PREFIX, not: CONTROL_PREFIX, other });
}

/** Reads the address of a control interface in the same way. @throws ConfigError */
export function controlAddress(flag: string, text: string): string {
  const other = "a service; expected its control interface, such as http://localhost:8432/control";
  return addressOf(flag, text, { example: "http://localhost:8432", path: CONTROL_PREFIX, not: API_PREFIX, other });
}

/** @throws UserError if a service answered, and not its control interface */
export function requireControl(controlUrl: string, status: number, text: string): void {
  if (status !== 404 || !text.includes(`the interface is under ${API_PREFIX}`)) return;
  throw new UserError(
    `${controlUrl} is a service; --control-url names its control interface, such as http://localhost:8432, which tillseal serve prints too`,
  );
}

/** @throws UserError if nobody listens at the address of a service */
export async function requireListening(baseUrl: string): Promise<void> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const usual = protocol === "https:" ? 443 : 80;
  const socket = connect(Number(port) || usual, hostname.replace(/^\[|\]$/g, ""));
  try {
    await once(socket, "connect");
  } catch (error) {
    const problem = codeOf(error) ?? messageOf(error);
    throw new UserError(
      `nobody listens at ${baseUrl} (${problem}); start a service first, or wait for it with --wait 60s`,
    );
  } finally {
    socket.destroy();
  }
}

interface ExpectedAddress {
  readonly example: string;
  /** The path that the address may have, and the path that another interface has. */
  readonly path: string;
  readonly not: string;
  readonly other: string;
}

function addressOf(flag: string, text: string, { example, path, not, other }: ExpectedAddress): string {
  const refused = (why: string) => new ConfigError(`${flag} is ${text}${why}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw refused(`; expected an address such as ${example}`);
  if (url.search !== "" || url.hash !== "") throw refused("; expected an address without ? and #");
  const address = text.replace(/\/+$/, "");
  if (address.endsWith(not)) throw refused(`, ${other}`);
  return address.endsWith(path) ? address.slice(0, -path.length) : address;
}

export interface RemoteFlags {
  readonly baseUrl?: string;
  readonly controlUrl?: string;
  readonly pin?: string;
  readonly riskLockingTheCard?: boolean;
  readonly issueRealReceipts?: boolean;
  /** Headers in the form `Name: value`. Every request has all of them. */
  readonly header?: readonly string[];
}

/**
 * The remote service; undefined if no flag names one.
 * @param name the flag or argument with the service's address, such as `--base-url`
 * @throws ConfigError
 */
export function remoteOf(flags: RemoteFlags, name = "--base-url"): Remote | undefined {
  const { baseUrl, controlUrl, pin, riskLockingTheCard = false, issueRealReceipts = false, header = [] } = flags;
  if (
    (pin !== undefined || riskLockingTheCard || issueRealReceipts || header.length > 0) &&
    (baseUrl === undefined || controlUrl !== undefined)
  ) {
    throw new ConfigError(
      `--pin, --header, --risk-locking-the-card and --issue-real-receipts are for a service at ${name} that has no --control-url`,
    );
  }
  // Do not repeat the value in the error, because it may be a real PIN with a typing error.
  if (pin !== undefined && !/^\d{4}$/.test(pin)) throw new ConfigError("--pin expects 4 digits");
  if (baseUrl === undefined) {
    if (controlUrl === undefined) return undefined;
    throw new ConfigError("--control-url needs --base-url, the address of the service that it drives");
  }
  const service = { baseUrl: serviceAddress(name, baseUrl) };
  if (controlUrl !== undefined) return { ...service, controlUrl: controlAddress("--control-url", controlUrl) };
  return {
    ...service,
    allowed: { riskLockingTheCard, issueRealReceipts, ...(pin === undefined ? {} : { pin }) },
    headers: headersIn(header),
  };
}

/** Reads headers. @param header texts in the form `Name: value` @throws ConfigError */
export function headersIn(header: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(header.map(headerIn));
}

/** Reads a header. @throws ConfigError, which does not repeat the value, because it may be a secret */
function headerIn(text: string): [string, string] {
  const colon = text.indexOf(":");
  const [name, value] = [text.slice(0, colon), text.slice(colon + 1).trim()];
  try {
    if (colon < 1) throw new Error("it has no colon after its name");
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    throw new ConfigError(`--header expects a header such as "PAC: A1B2C3": ${messageOf(error)}`);
  }
  return [name, value];
}

/** Files for the TLS connection to a service. */
export interface TlsFlags {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphraseFile?: string;
}

/** Refuses flags for a certificate without the certificate itself. @throws ConfigError */
export function requireCert({ cert, key, passphraseFile }: TlsFlags): void {
  if (cert !== undefined || (key ?? passphraseFile) === undefined) return;
  throw new ConfigError("--key and --passphrase-file need --cert, the certificate that they belong to");
}
