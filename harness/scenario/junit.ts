/** Writes JUnit XML for CI viewers. */

export interface JunitCase {
  readonly name: string;
  readonly ms: number;
  readonly failure?: { readonly message: string; readonly text: string };
  /** Why the case was not run. */
  readonly skipped?: string;
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

export function junit(suites: readonly JunitSuite[]): string {
  const all = suites.flatMap(({ cases }) => cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites time="${seconds(all)}">\n${suites.map(suiteXml).join("")}</testsuites>\n`;
}

function suiteXml({ name, cases }: JunitSuite): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  const attributes = `name="${xml(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" time="${seconds(cases)}"`;
  return `  <testsuite ${attributes}>\n${cases.map((one) => caseXml(name, one)).join("")}  </testsuite>\n`;
}

function caseXml(suite: string, { name, ms, failure, skipped }: JunitCase): string {
  const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}" time="${seconds([{ ms }])}"`;
  if (failure) {
    return `${open}>\n      <failure message="${xml(failure.message)}">${xml(failure.text)}</failure>\n    </testcase>\n`;
  }
  return skipped === undefined
    ? `${open}/>\n`
    : `${open}>\n      <skipped message="${xml(skipped)}"/>\n    </testcase>\n`;
}

function seconds(cases: readonly { readonly ms: number }[]): string {
  return (cases.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function xml(text: string): string {
  // We replace the characters that XML 1.0 does not allow, not even escaped.
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
