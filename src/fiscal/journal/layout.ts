/** Lays out the lines of a receipt (protocol facts, section 6). A column has one code point. */
import type { ReceiptLanguage } from "../language.js";
import { roundTo, type Scaled, toFixed } from "../money.js";
import type { Day, WallTime } from "../zoned.js";

/** Ways to write numbers and times. `comma`: `1.234,50` and `9:05:00`. `point`: `1,234.50` and `09:05:00`. */
export const NUMBER_FORMS = ["comma", "point"] as const;
export type NumberForm = (typeof NUMBER_FORMS)[number];

/** Number of columns of a Serbian receipt: 40, or 38 as the devices of Republika Srpska print it. */
export type Columns = 40 | 38;

/** What differs from the usual form of a language. */
export interface ReceiptForm {
  readonly columns: Columns;
  /** Undefined for the numbers of the language. */
  readonly numberForm?: NumberForm | undefined;
}

const SEPARATORS = { comma: { thousands: ".", decimals: "," }, point: { thousands: ",", decimals: "." } } as const;

/** Columns at which values end. */
const ENDS = {
  40: { price: 13, quantity: 24, category: 17, rate: 26 },
  38: { price: 13, quantity: 25, category: 15, rate: 24 },
} as const;

/** Maximum width of a header's line in Republika Srpska. A wider text is broken there, even within a word. */
const NARROW_HEADER = 36;

/** Matches a unit of a code point that takes two units of a text. */
const SURROGATE = /[\ud800-\udfff]/;

export function widthOf(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

function chunks(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const points = [...text];
  const count = Math.ceil(points.length / width);
  return Array.from({ length: count }, (_, i) => points.slice(i * width, (i + 1) * width).join(""));
}

/**
 * Returns a line with values that end at given columns. A value that is too wide moves the next values, with one space
 * between them. The line grows, because a number is never broken.
 */
export function inColumns(...cells: readonly (readonly [text: string, endColumn: number])[]): string {
  return cells.reduce((line, [text, end]) => {
    const gap = end - widthOf(line) - widthOf(text);
    return line + " ".repeat(Math.max(gap, line === "" ? 0 : 1)) + text;
  }, "");
}

export class Layout {
  /** Whether receipts look as those of the devices of Republika Srpska. */
  readonly isNarrow: boolean;
  readonly columns: Columns;
  readonly ends: (typeof ENDS)[Columns];
  readonly doubleLine: string;
  readonly singleLine: string;
  private readonly numberForm: NumberForm;
  /** Times are `dd.MM.yyyy. H:mm:ss`, with `HH`, or in English `dd/MM/yyyy HH:mm:ss` (protocol facts, section 6). */
  private readonly isEnglish: boolean;
  /**
   * Maximum width of a centred text on one line; a wider text breaks between words. On real receipts with 40 columns, a
   * text of 38 columns fits on one line and a text of 40 is broken. No known receipt has a text of 39.
   */
  private readonly centredColumns: number;

  private constructor(language: ReceiptLanguage, form: ReceiptForm | undefined) {
    this.isEnglish = language === "en-US";
    // Only Serbian is known in the form of Republika Srpska.
    this.columns = this.isEnglish ? 40 : (form?.columns ?? 40);
    this.isNarrow = this.columns === 38;
    this.ends = ENDS[this.columns];
    this.doubleLine = "=".repeat(this.columns);
    this.singleLine = "-".repeat(this.columns);
    this.numberForm = form?.numberForm ?? (this.isEnglish ? "point" : "comma");
    this.centredColumns = this.columns - 1;
  }

  private static readonly made = new Map<string, Layout>();

  static of(language: ReceiptLanguage, form?: ReceiptForm): Layout {
    const key = `${language} ${form?.columns} ${form?.numberForm}`;
    const made = Layout.made.get(key) ?? new Layout(language, form);
    Layout.made.set(key, made);
    return made;
  }

  /** Returns a first or last line, such as `== TITLE ==`. */
  banner(title: string): string {
    return this.centred(` ${title} `, "=");
  }

  /** Returns the first and last line of a receipt that is not fiscal. Its odd `=` stands on the left everywhere. */
  notFiscal(title: string): string {
    return this.centred(` ${title} `, "=", "left");
  }

  padRight(text: string): string {
    return text + " ".repeat(Math.max(0, this.columns - widthOf(text)));
  }

  /** Breaks a text at the last column, even within a word. Fills the last line with spaces. */
  brokenHard(text: string): string[] {
    return chunks(text, this.columns).map((part) => this.padRight(part));
  }

  /** Returns a line with a label on the left and a value on the right, with at least one space between them. */
  private spread(label: string, value: string): string {
    return label + " ".repeat(Math.max(1, this.columns - widthOf(label) - widthOf(value))) + value;
  }

  /** Returns a label and a text. If both do not fit on one line, breaks at the last column, even within a word. */
  labelled(label: string, text: string): string[] {
    return this.brokenHard(this.spread(label, text));
  }

  /** Returns a line with a label and an amount. The line grows if both do not fit: an amount is never broken. */
  labelledAmount(label: string, amount: Scaled): string {
    return this.spread(label, this.number(amount, 2));
  }

  /** Centres a text. An odd filler stands on the right; in Republika Srpska it stands on the left. */
  centred(text: string, filler: string, odd: "left" | "right" = this.isNarrow ? "left" : "right"): string {
    const room = Math.max(0, this.columns - widthOf(text));
    const left = odd === "left" ? Math.ceil(room / 2) : Math.floor(room / 2);
    return filler.repeat(left) + text + filler.repeat(room - left);
  }

  /** Centres a text on as many lines as it needs. Trailing spaces count if the text fits on one line. */
  centredLines(text: string): string[] {
    const parts = this.isNarrow
      ? narrowParts(text)
      : widthOf(text) <= this.centredColumns
        ? [text]
        : this.betweenWords(text);
    return parts.map((part) => this.centred(part, " "));
  }

  /** Breaks a text between words. Also breaks a word that is too wide for a line. */
  private betweenWords(text: string): string[] {
    const words = text.trim().split(/ +/);
    const parts: string[] = [];
    for (const word of words.flatMap((whole) => chunks(whole, this.centredColumns))) {
      const last = parts.pop();
      const together = last === undefined ? word : `${last} ${word}`;
      if (last !== undefined && widthOf(together) > this.centredColumns) parts.push(last, word);
      else parts.push(together);
    }
    return parts;
  }

  /** Returns a number as receipts print it, rounded half up: `1.234,50` or `1,234.50`. */
  number(value: Scaled, decimals: 0 | 2 | 3): string {
    const separators = SEPARATORS[this.numberForm];
    const [whole = "", fraction] = toFixed(value, decimals).split(".");
    const grouped = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, separators.thousands) : whole;
    return fraction === undefined ? grouped : `${grouped}${separators.decimals}${fraction}`;
  }

  /** Returns a quantity as receipts print it: with three decimals, or without if it is whole. */
  quantity(value: Scaled): string {
    return this.number(value, !this.isNarrow && isWhole(value) ? 0 : 3);
  }

  /** Returns a tax rate as receipts print it. @param categoryType 2 is an amount per quantity, not a percentage */
  rate(value: Scaled, categoryType: number): string {
    const decimals = this.isNarrow && isWhole(value) ? 0 : 2;
    return this.number(value, decimals) + (categoryType === 2 ? "" : "%");
  }

  time(shown: WallTime): string {
    const [day = "", time = ""] = shown.split("T");
    const twoDigits = this.isEnglish || this.isNarrow || this.numberForm === "point";
    return `${this.day(day)} ${twoDigits ? time : time.replace(/^0/, "")}`;
  }

  /** Returns a day as receipts print it, such as `21.11.2026.` */
  day(day: Day): string {
    const [year, month, date] = day.split("-");
    return this.isEnglish ? `${date}/${month}/${year}` : `${date}.${month}.${year}.`;
  }
}

function isWhole(value: Scaled): boolean {
  return roundTo(value, 0) === value;
}

/** Breaks a header's text as devices of Republika Srpska do. On the one known receipt a lone point has its line. */
function narrowParts(text: string): string[] {
  if (widthOf(text) <= NARROW_HEADER) return [text];
  const points = [...text];
  const rest = points.slice(NARROW_HEADER).join("").trim();
  const lonePoint = /^\. +(.*)$/.exec(rest);
  const after = lonePoint ? [".", ...narrowParts(lonePoint[1] ?? "")] : narrowParts(rest);
  return [points.slice(0, NARROW_HEADER).join("").trim(), ...after.filter((part) => part !== "")];
}
