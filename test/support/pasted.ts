/**
 * A line that a POSIX shell, cmd and PowerShell read alike. No test has the other two shells on this machine, so the line is held
 * to the form that all three have in common. What differs elsewhere:
 *
 * - Quotes: cmd has no single quotes, and PowerShell expands `$` and backticks in double ones. `"` around a path is the same in all.
 * - A first word with `/` is an option for cmd, and one in quotes is a text for PowerShell.
 * - `\` escapes in a POSIX shell, `^` and `%` mean something in cmd, and `@ , ; # { } ( ) | & < > $ *` in at least one of them.
 * - PowerShell splits `-name.rest` into two arguments. `--name` stays one.
 */
const COMMAND = /^[a-z]+$/;
const WORD = /^(?:(?!-[^-]*[.:])[\w./:-]+|"[\w ./:-]+")$/;

/** @returns whether the three shells start the same program with the same arguments */
export function isReadAlike(line: string): boolean {
  const [command = "", ...words] = line.match(/"[^"]*"|[^ ]+/g) ?? [];
  const isOneSpaced = line === [command, ...words].join(" ");
  return isOneSpaced && COMMAND.test(command) && words.every((word) => WORD.test(word));
}
