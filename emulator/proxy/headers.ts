/** Headers on their way through the proxy. */

export type HeaderLines = Readonly<Record<string, string[]>>;

/** Headers of one connection, never forwarded (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * @param raw names and values in turn, as Node gives them
 * @param dropped further names, in lower case, that are not forwarded
 */
export function endToEnd(raw: readonly string[], dropped: readonly string[]): HeaderLines {
  const lines = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    lines.set(name, [...(lines.get(name) ?? []), raw[i + 1] ?? ""]);
  }
  const named = (lines.get("connection") ?? []).join(",").toLowerCase().split(",");
  for (const name of [...HOP_BY_HOP, ...named.map((one) => one.trim()), ...dropped]) lines.delete(name);
  return Object.fromEntries(lines);
}
