/** Gives equal values equal numbers. Parts that two values share are visited once. */
export class Interner {
  private readonly byText = new Map<string, number>();
  private readonly byObject = new Map<object, number>();

  /** @param value plain immutable data */
  idOf(value: object): number {
    const text = Array.isArray(value) ? this.list(value) : this.record(value as Readonly<Record<string, unknown>>);
    const known = this.byText.get(text);
    if (known !== undefined) return known;
    const id = this.byText.size;
    this.byText.set(text, id);
    return id;
  }

  private idOfPart(part: object): number {
    const known = this.byObject.get(part);
    if (known !== undefined) return known;
    const id = this.idOf(part);
    if (this.byObject.size > MOST_OBJECTS) this.byObject.clear();
    this.byObject.set(part, id);
    return id;
  }

  private list(values: readonly unknown[]): string {
    let text = "[";
    for (const value of values) text += `${this.textOf(value)},`;
    return text;
  }

  /** An undefined property counts as a missing one. */
  private record(value: Readonly<Record<string, unknown>>): string {
    let text = "{";
    for (const name in value) {
      const part = value[name];
      if (part !== undefined) text += `${name}:${this.textOf(part)},`;
    }
    return text;
  }

  private textOf(part: unknown): string {
    switch (typeof part) {
      case "object":
        return part === null ? "null" : `#${this.idOfPart(part)}`;
      case "string":
        return `"${part}"`;
      default:
        return String(part);
    }
  }
}

/** Older ones are forgotten beyond this number. */
const MOST_OBJECTS = 1_000;
