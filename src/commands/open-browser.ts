/** A page in the browser that this machine's user prefers. */
import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the title of a window that is not opened.
  win32: ["cmd", "/c", "start", ""],
};

/** @param failed called if no program here opens pages */
export function openBrowser(url: string, failed: () => void): void {
  const [command, ...before] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(command, [...before, url], { stdio: "ignore", detached: true });
  opener.once("error", failed);
  opener.once("exit", (status) => status !== 0 && failed());
  opener.unref();
}
