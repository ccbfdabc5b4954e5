/** Lays out the lines of a receipt (protocol facts, sections 6 and 11). A column has one code point. */
import { roundTo, type Scaled, toFixed } from "../money.js";
import { toReceiptTime } from "../time.js";

/** Ways to write numbers and times. `comma`: `1.234,50` and `9:05:00`. `point`: `1,234.50` and `09:05:00`. */
export const NUMBER_FORMS = ["comma", "point"] as const;
export type NumberForm = (typeof NUMBER_FORMS)[number];

/** The form in which receipts of a country and a device are printed. */
export interface ReceiptForm {
  /** Even number of columns, at most {@link MOST_COLUMNS}. */
  readonly columns: number;
  readonly numberForm: NumberForm;
}

/** Maximum number of columns. The fixed lines of the texts have this width. */
const MOST_COLUMNS = 40;
export const STANDARD_FORM: ReceiptForm = { columns: MOST_COLUMNS, numberForm: "comma" };

const SEPARATORS = { comma: { thousands: ".", decimals: "," }, point: { thousands: ",", decimals: "." } } as const;

/** Matches a unit of a code point that takes two units of a text. */
const SURROGATE = /[\ud800-\udfff]/;

export function widthOf(text: string): number {
  return SURROGATE.test(text) ? [...text].length : text.length;
}

function padLeft(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
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
  readonly columns: number;
  readonly doubleLine: string;
  readonly singleLine: string;
  private readonly numberForm: NumberForm;
  /**
   * Maximum width of a centred text on one line; a wider text breaks between words. On real receipts with 40 columns, a
   * text of 38 columns fits on one line and a text of 40 is broken. No known receipt has a text of 39.
   */
  private readonly centredColumns: number;

  private constructor({ columns, numberForm }: ReceiptForm) {
    this.columns = columns;
    this.doubleLine = "=".repeat(columns);
    this.singleLine = "-".repeat(columns);
    this.numberForm = numberForm;
    this.centredColumns = columns - 1;
  }

  private static readonly made = new Map<string, Layout>();

  static of(form: ReceiptForm = STANDARD_FORM): Layout {
    const key = `${form.columns} ${form.numberForm}`;
    const made = Layout.made.get(key) ?? new Layout(form);
    Layout.made.set(key, made);
    return made;
  }

  /** Returns a fixed line of the texts, such as `== TITLE ==`. A line that is too long loses filler on both sides. */
  banner(text: string): string {
    const cut = (MOST_COLUMNS - this.columns) / 2;
    return text.slice(cut, text.length - cut);
  }

  /**
   * Returns a fixed line with the titles of columns. If the line is too long, the gap before the last title shrinks.
   */
  columnTitles(text: string): string {
    const lastWord = text.slice(text.lastIndexOf(" ") + 1);
    return text.slice(0, this.columns - lastWord.length) + lastWord;
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
    return label + padLeft(value, Math.max(this.columns - widthOf(label), widthOf(value) + 1));
  }

  /** Returns a label and a text. If both do not fit on one line, breaks at the last column, even within a word. */
  labelled(label: string, text: string): string[] {
    return this.brokenHard(this.spread(label, text));
  }

  /**
   * Returns a line with a label and an amount. The line grows if both do not fit, because an amount is never broken.
   */
  labelledAmount(label: string, amount: Scaled): string {
    return this.spread(label, this.number(amount, 2));
  }

  /** Centres a text with a filler on both sides; the smaller half of the filler is on the left. */
  centred(text: string, filler: string): string {
    const room = Math.max(0, this.columns - widthOf(text));
    const left = Math.floor(room / 2);
    return filler.repeat(left) + text + filler.repeat(room - left);
  }

  /** Centres a text on as many lines as it needs. Trailing spaces count if the text fits on one line. */
  centredLines(text: string): string[] {
    const parts = widthOf(text) <= this.centredColumns ? [text] : this.betweenWords(text);
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

  /** Returns a quantity as receipts print it. A whole quantity has no decimals, any other has three. */
  quantity(value: Scaled): string {
    return this.number(value, roundTo(value, 0) === value ? 0 : 3);
  }

  /** Returns a time as receipts print it. @param ms ms since the epoch */
  time(ms: number, timeZone: string): string {
    return toReceiptTime(ms, timeZone, this.numberForm === "point" ? 2 : 1);
  }
}
