/** The parts of a service that work in the background. They are one list, in the order in which they start. */
export interface BackgroundPart {
  start(): void;
  /** Resolves when the part has ended its work. If the part has no `stop`, it ends when the card is closed. */
  stop?(): Promise<void>;
  /** Ends the part as in a crash. Default: `stop`, without waiting for it. */
  kill?(): void;
}

export function startAll(parts: readonly BackgroundPart[]): void {
  for (const part of parts) part.start();
}

export async function stopAll(parts: readonly BackgroundPart[]): Promise<void> {
  await Promise.all(parts.map((part) => part.stop?.()));
}

export function killAll(parts: readonly BackgroundPart[]): void {
  for (const part of parts) {
    if (part.kill) part.kill();
    else void part.stop?.();
  }
}
