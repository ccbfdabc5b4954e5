/** Checks Node's version before anything else is loaded, because an older one does not load the program or SQLite. */
import { MANIFEST } from "./package-root.js";

/** @returns a sentence if this Node is too old for the package */
export function unfitNode(): string | undefined {
  const { engines } = MANIFEST;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  // package.json has two forms of ranges: `>=24` and `^22.14`.
  const isSupported = engines.node.split(" || ").some((range) => {
    const [, sign, from, least = 0] = /^(\^|>=)(\d+)(?:\.(\d+))?$/.exec(range) ?? [];
    if (major === Number(from)) return minor >= Number(least);
    return sign === ">=" && major > Number(from);
  });
  if (isSupported) return undefined;
  return `tillseal: this is Node.js ${process.versions.node}; tillseal needs ${engines.node}. Install a newer Node.js.`;
}
