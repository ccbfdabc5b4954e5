/** Keeps the PINs that went through the proxy, only in memory, and masks them in recordings. */
import { isPinPath } from "../../src/http/traffic/mask.js";
import { MASKED } from "../../src/schema/mask-text.js";

export class TypedPins {
  private readonly pins = new Set<string>();

  /** Remembers the PINs of a request. @param body as the POS has sent it */
  see(path: string, body: string): void {
    if (!isPinPath(path)) return;
    for (const [pin] of `${path} ${body} ${asRead(body)}`.matchAll(/(?<!\d)\d{4}(?!\d)/g)) this.pins.add(pin);
  }

  /** Returns a request in which each known PIN is masked everywhere. */
  maskedRequest<T>(request: T): T {
    return this.replaced(request, (text) => this.masked(text)) as T;
  }

  /** Returns the expected answer. A matcher of the type replaces each text and number that contains a known PIN. */
  looseAnswer<T>(answer: T): T {
    const loose = (text: string) => (this.isIn(text) ? { $type: "string" } : text);
    return this.replaced(answer, loose, (number) => (this.isIn(String(number)) ? { $type: "number" } : number)) as T;
  }

  private replaced(
    value: unknown,
    text: (value: string) => unknown,
    number: (value: number) => unknown = (same) => same,
  ): unknown {
    if (typeof value === "string") return text(value);
    if (typeof value === "number") return number(value);
    if (Array.isArray(value)) return value.map((entry) => this.replaced(entry, text, number));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, entry]) => [this.masked(key), this.replaced(entry, text, number)]);
    return Object.fromEntries(entries);
  }

  private isIn(text: string): boolean {
    return [...this.pins].some((pin) => text.includes(pin));
  }

  private masked(text: string): string {
    return text.replaceAll(/(?<!\d)\d{4}(?!\d)/g, (digits) => (this.pins.has(digits) ? MASKED.repeat(4) : digits));
  }
}

/** Returns the values in a JSON body as text, because JSON may write a digit as \\u0031. */
function asRead(body: string): string {
  try {
    const read: unknown = JSON.parse(body);
    return typeof read === "object" ? Object.values(read ?? {}).join(" ") : String(read);
  } catch {
    return "";
  }
}
