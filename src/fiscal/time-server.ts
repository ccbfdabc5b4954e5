/** Reads the address of a time server in each form that authorities send (protocol facts, section 8). */

/** Maximum number of characters in an address. */
const LONGEST = 2_000;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i;

/**
 * Reads `ntp://host:123/`, `host`, `host:123`, and `http://host:80/`. Takes only the host of a web address, because the
 * port belongs to the web server. Returns undefined if there is no host, and no port for the standard port of NTP.
 */
export function timeServerOf(
  address: string,
): { readonly host: string; readonly port: number | undefined } | undefined {
  const text = address.trim();
  if (text.length > LONGEST) return undefined;
  const [, scheme = "ntp", rest = text] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  // Use the scheme `ftp`, because URL checks host and port only for some schemes.
  if (!URL.canParse(`ftp://${rest}`)) return undefined;
  const url = new URL(`ftp://${rest}`);
  if (!HOST.test(url.hostname) || url.username !== "" || url.password !== "") return undefined;
  const isNtp = /^s?ntp$/i.test(scheme);
  return { host: url.hostname, port: isNtp && url.port !== "" ? Number(url.port) : undefined };
}
