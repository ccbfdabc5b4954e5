/** `tillseal card`: what is in the readers and, where there is an emulator, emulated cards. */
import { Command } from "commander";
import { HAS_EMULATOR } from "../edition.js";
import { cardInfoCommand } from "./card-info.js";
import { cardListCommand } from "./card-list.js";
import { cardMakeKeysCommand } from "./card-make-keys.js";
import { cardPublishCommand } from "./card-publish.js";

export function cardCommand(): Command {
  const card = new Command("card")
    .description("cards in the readers of this machine, and emulated ones")
    .addCommand(cardListCommand())
    .addCommand(cardInfoCommand());
  return HAS_EMULATOR ? card.addCommand(cardPublishCommand()).addCommand(cardMakeKeysCommand()) : card;
}
