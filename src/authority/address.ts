/** Checks and completes the address of the authority's API, which comes from the card's certificate or a setting. */
import { ConfigError } from "../config/config-error.js";

/** Hosts to which plain HTTP is allowed: a program on this machine may handle TLS with the authority. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The base address of `sdc/token` and the other endpoints, with a slash at the end. Certificates have the address
 * without a slash and without `/api/v3` (protocol facts, sections 1 and 8); both forms are accepted.
 * @throws ConfigError
 */
export function apiBase(address: string): URL {
  if (address.trim() === "") throw new ConfigError("there is no address");
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`);
  } catch {
    throw new ConfigError(`${address} is not an address such as https://authority.example`);
  }
  if (url.username || url.password) throw new ConfigError("the address contains a user name or password; remove them");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.test(url.hostname))) {
    throw new ConfigError(`${address} is not safe: use https://, or http:// to a TLS helper on this machine`);
  }
  url.search = "";
  url.hash = "";
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "").replace(/\/api(\/v3)?$/i, "")}/api/v3/`;
  return url;
}
