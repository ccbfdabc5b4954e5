/** Prints a line for each check, and the counts at the end. */
let passed = 0;
let failed = 0;

export async function check(what, task) {
  try {
    const more = await task();
    passed++;
    console.log(`ok    ${what}${typeof more === "string" ? `: ${more}` : ""}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${what}\n${error instanceof Error ? error.message : error}`);
  }
}

export function equal(actual, expected) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`found    ${a}\nexpected ${b}`);
}

export function contains(text, part) {
  if (!text.includes(part)) throw new Error(`no ${JSON.stringify(part)} in\n${text}`);
}

/** @returns the exit status */
export function report() {
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
