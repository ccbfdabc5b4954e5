/** Returns a number with its noun, such as `1 sale` or `2 sales`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
