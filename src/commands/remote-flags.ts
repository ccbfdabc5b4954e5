/** A remote service, as named by flags: an emulator that proves to be one, or a card that may be real. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { messageOf } from "../base/thrown.js";
import { ConfigError } from "../config/config-error.js";
import type { EmulatorModule } from "./emulator.js";
import { controlAddress, serviceAddress } from "./remote-address.js";

export type Remote = NonNullable<Parameters<EmulatorModule["runScenarioFiles"]>[0]["remote"]>;

export interface RemoteFlags {
  readonly baseUrl?: string;
  readonly controlUrl?: string;
  readonly pin?: string;
  readonly riskLockingTheCard?: boolean;
  readonly issueRealReceipts?: boolean;
  /** `Name: value`, each sent with every request. */
  readonly header?: readonly string[];
}

/** @param name of the flag or argument with the service's address, such as `--base-url` @throws ConfigError */
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
  // Do not repeat the value: it may be a real PIN with a typing error.
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

/** @param header each `Name: value` @throws ConfigError */
export function headersIn(header: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(header.map(headerIn));
}

/** @throws ConfigError, which does not repeat the value: it may be a secret */
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
