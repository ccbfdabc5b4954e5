/** Runs npm. On Windows it is npm.cmd, which Node can start only through cmd. */
import { execFileSync } from "node:child_process";
import "../build/node.mjs";

/** @returns program and arguments */
export function npmCommand(args, platform = process.platform) {
  return platform === "win32" ? ["cmd", ["/d", "/c", "npm.cmd", ...args]] : ["npm", [...args]];
}

/** @param options of execFileSync @returns what npm printed */
export function npm(args, options) {
  const [program, all] = npmCommand(args);
  return execFileSync(program, all, options);
}
