/** Opens a page in the user's preferred browser. */
import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // `start` takes its first quoted argument as a window title: pass an empty one.
  win32: ["cmd", "/c", "start", ""],
};

/** @param failed called if no program on this machine opens pages */
export function openBrowser(url: string, failed: () => void): void {
  const [command, ...before] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...before, url], { stdio: "ignore", detached: true });
  opener.once("error", failed);
  opener.once("exit", (status) => status !== 0 && failed());
  opener.unref();
}
