/** The address of a service or of an emulator's control interface, as `tillseal serve` prints it or without its last part. */
import { ConfigError } from "../config/config-error.js";
import { API_PREFIX } from "../http/endpoints.js";

const CONTROL_PREFIX = "/control";

/**
 * @param flag or argument, for the error
 * @returns `http://localhost:8431` for `http://localhost:8431/api/v3/`
 * @throws ConfigError
 */
export function serviceAddress(flag: string, text: string): string {
  const address = addressOf(flag, text, "http://localhost:8431");
  if (!address.endsWith(CONTROL_PREFIX)) return without(address, API_PREFIX);
  throw new ConfigError(
    `${flag} is ${text}, a control interface; expected the service, such as http://localhost:8431, which tillseal serve prints first`,
  );
}

/**
 * @param flag for the error
 * @returns `http://localhost:8432` for `http://localhost:8432/control`
 * @throws ConfigError
 */
export function controlAddress(flag: string, text: string): string {
  const address = addressOf(flag, text, "http://localhost:8432");
  if (!address.endsWith(API_PREFIX)) return without(address, CONTROL_PREFIX);
  throw new ConfigError(
    `${flag} is ${text}, a service; expected its control interface, such as http://localhost:8432/control`,
  );
}

function addressOf(flag: string, text: string, example: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new ConfigError(`${flag} is ${text}; expected an address such as ${example}`);
  }
  if (url.search !== "" || url.hash !== "") {
    throw new ConfigError(`${flag} is ${text}; expected an address without ? and #`);
  }
  return text.replace(/\/+$/, "");
}

function without(address: string, end: string): string {
  return address.endsWith(end) ? address.slice(0, -end.length) : address;
}
