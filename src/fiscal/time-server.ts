/** The address of a time server, in the forms that authorities send (protocol facts, section 8). */

export interface TimeServer {
  readonly host: string;
  /** Undefined for NTP's own port. */
  readonly port: number | undefined;
}

/** Characters of the longest address. */
const LONGEST = 2_000;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i;

/**
 * Reads `ntp://host:123/`, `host`, `host:123`, and `http://host:80/`. From a web address it takes only the host, because the
 * port belongs to the web server. Undefined if there is no host.
 */
export function timeServerOf(address: string): TimeServer | undefined {
  const text = address.trim();
  if (text.length > LONGEST) return undefined;
  const [, scheme = "ntp", rest = text] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(text) ?? [];
  // A special scheme makes URL check host and port.
  if (!URL.canParse(`ftp://${rest}`)) return undefined;
  const url = new URL(`ftp://${rest}`);
  if (!HOST.test(url.hostname) || url.username !== "" || url.password !== "") return undefined;
  const isNtp = /^s?ntp$/i.test(scheme);
  return { host: url.hostname, port: isNtp && url.port !== "" ? Number(url.port) : undefined };
}
