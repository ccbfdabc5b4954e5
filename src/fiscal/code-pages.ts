/** Encodes text for receipt printers: one byte for each character, in the code page that was selected last. */

/** Code pages with their numbers for ESC t of Epson and most other makers. Receipts need the first page most. */
const PAGES = [
  { number: 46, encoding: "windows-1251" },
  { number: 45, encoding: "windows-1250" },
  { number: 16, encoding: "windows-1252" },
] as const;

const ESC = 0x1b;
const LF = 0x0a;
const UNKNOWN = 0x3f;

interface CodePage {
  readonly number: number;
  readonly bytes: ReadonlyMap<string, number>;
}

let loaded: readonly CodePage[] | undefined;

/** Builds the code pages for the first receipt and keeps them. */
function codePages(): readonly CodePage[] {
  loaded ??= PAGES.map(({ number, encoding }) => {
    const decoder = new TextDecoder(encoding);
    const high = Array.from({ length: 0x80 }, (_, i) => 0x80 + i);
    return { number, bytes: new Map(high.map((byte) => [decoder.decode(Uint8Array.of(byte)), byte])) };
  });
  return loaded;
}

/** Matches a character that takes no room on paper, such as a soft hyphen or a joiner. */
const INVISIBLE = /[\p{Cf}\p{DI}]/gu;

/**
 * Returns the bytes of lines, with `ESC t` where the page changes. A character that no page has becomes `?`, as wide as
 * one character. The pages have all letters of both Serbian scripts: Cyrillic in 1251, Latin in 1250.
 */
export function printerText(lines: readonly string[]): number[] {
  const bytes: number[] = [];
  let page: CodePage | undefined;
  for (const line of lines) {
    for (const character of line.normalize("NFC").replaceAll(INVISIBLE, "")) {
      const code = character.codePointAt(0) ?? UNKNOWN;
      if (code < 0x80) {
        // Control characters in texts become `?`, because a text must not give the printer commands.
        bytes.push(code < 0x20 || code === 0x7f ? UNKNOWN : code);
        continue;
      }
      if (!page?.bytes.has(character)) {
        const other = codePages().find((one) => one.bytes.has(character));
        if (other) bytes.push(ESC, 0x74, other.number);
        page = other ?? page;
      }
      bytes.push(page?.bytes.get(character) ?? UNKNOWN);
    }
    bytes.push(LF);
  }
  return bytes;
}
