/** Chooses which commands are taken if there are too many to take all of them at once. This code is pure. */
import { type AuthorityCommand, COMMAND_TYPE } from "./tax-authority.js";

/** Maximum number of commands that are taken at once. The authority, or the file, has the others for the next time. */
export const MOST_COMMANDS = 500;

/**
 * Chooses the commands to take. New commands come before those that the store has, so that each call takes later
 * commands too. Of the new commands, a proof of audit comes first, because a card at its limit signs no sale before it
 * gets the proof.
 * @param known ids of the commands in the store @returns the chosen commands, in the order of `commands`
 */
export function firstCommands(
  commands: readonly AuthorityCommand[],
  known: readonly string[],
): readonly AuthorityCommand[] {
  const ids = new Set(known.map((id) => id.toLowerCase()));
  const rank = ({ commandId, type }: AuthorityCommand) => {
    if (ids.has(commandId.toLowerCase())) return 2;
    return type === COMMAND_TYPE.proofOfAudit ? 0 : 1;
  };
  const first = new Set(commands.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_COMMANDS));
  return commands.filter((command) => first.has(command));
}
