/** Selects the headers that the proxy forwards. */

export type HeaderLines = Readonly<Record<string, string[]>>;

/** Headers that belong to one connection. The proxy never forwards them (RFC 9110, section 7.6.1). */
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
 * Returns the headers to forward.
 * @param raw names and values in turn, as Node gives them
 * @param dropped names of more headers that the proxy does not forward, in lower case
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
