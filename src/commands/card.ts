/** `tillseal card`: the cards in the readers and, in the package for developers, emulated cards. */
import { Command } from "commander";
import { HAS_EMULATOR } from "../base/edition.js";
import { cardInfoCommand } from "./card-info.js";
import { cardListCommand } from "./card-list.js";
import { cardMakeKeysCommand } from "./card-make-keys.js";
import { cardPublishCommand } from "./card-publish.js";

export function cardCommand(): Command {
  const card = new Command("card")
    .description(`cards in this machine's readers${HAS_EMULATOR ? ", and emulated cards" : ""}`)
    .addCommand(cardListCommand())
    .addCommand(cardInfoCommand());
  return HAS_EMULATOR ? card.addCommand(cardPublishCommand()).addCommand(cardMakeKeysCommand()) : card;
}
