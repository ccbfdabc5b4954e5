/** How a command starts and ends on Windows, where npm is a script, which only cmd runs. */

interface WindowsCommand {
  readonly program: string;
  /** The arguments as they are: cmd and the program quote in two ways, which Node does not know. */
  readonly args: readonly string[];
}

/** Characters that have a meaning for cmd. */
const META = /[()\][%!^"`<>&|;, *?]/g;

/** The command that runs the words of a command line through cmd. The program gets them as they were written. */
export function windowsCommand([name = "", ...words]: readonly string[]): WindowsCommand {
  const line = [name, ...words.map(quoted)].map((word) => word.replace(META, "^$&")).join(" ");
  return { program: process.env.comspec ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`] };
}

/** Quotes a word for a program. Backslashes count in pairs before a quote. */
function quoted(word: string): string {
  return `"${word.replace(/(\\*)("|$)/g, (_, slashes: string, quote) => slashes + slashes + (quote && '\\"'))}"`;
}

export function endTreeCommand(pid: number): WindowsCommand {
  return { program: "taskkill", args: ["/pid", String(pid), "/t", "/f"] };
}
