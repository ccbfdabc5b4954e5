/** The address of the authority's API, from the card's certificate or a setting. */

/** Where a program on this machine may take the service's requests and speak TLS to the authority itself. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address below which `sdc/token` and the others are, with a slash at the end. Certificates hold the address
 * without a slash and without `/api/v3` (protocol facts, sections 1 and 8); both may be there.
 * @throws Error that says what is wrong with the address
 */
export function apiBase(address: string): URL {
  if (address.trim() === "") throw new Error("there is no address");
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(address.trim()) ? address.trim() : `https://${address.trim()}`);
  } catch {
    throw new Error(`${address} is not an address such as https://authority.example`);
  }
  if (url.username || url.password) throw new Error("the address holds a user name or password; leave them out");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && LOOPBACK.test(url.hostname))) {
    throw new Error(`${address} is not safe: only https:// is, or http:// to a TLS helper on this machine`);
  }
  url.search = "";
  url.hash = "";
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/api(\/v3)?$/i, "")}/api/v3/`;
  return url;
}
