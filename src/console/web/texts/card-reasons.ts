/** Why there is no usable card: a text for each of the service's codes. */
import type { CardReason } from "../../../secure-element/card-reason.js";
import type { Pair } from "./pair.js";

export const CARD_REASON_TEXTS: Readonly<Record<CardReason["code"], Pair>> = {
  notStarted: { english: "The service is just starting.", serbian: "Сервис се тек покреће." },
  closed: { english: "The service is ending.", serbian: "Сервис се гаси." },
  noModule: {
    english: "The module koffi is not installed. Run npm ci in the folder of tillseal.",
    serbian: "Модул koffi није инсталиран. Покрените npm ci у фасцикли програма tillseal.",
  },
  noModulePcsclite: {
    english:
      "The module pcsclite is not installed. Run npm install pcsclite, or remove the setting pcscModule: tillseal then uses koffi.",
    serbian:
      "Модул pcsclite није инсталиран. Покрените npm install pcsclite или уклоните подешавање pcscModule: tillseal тада користи koffi.",
  },
  noLibrary: {
    english: "The PC/SC library of this system cannot be loaded.",
    serbian: "PC/SC библиотека овог система не може да се учита.",
  },
  noLibraryLinux: {
    english:
      "The PC/SC library cannot be loaded: libpcsclite.so.1 is not installed. On Debian run apt-get install pcscd.",
    serbian:
      "PC/SC библиотека не може да се учита: libpcsclite.so.1 није инсталирана. На Debian-у покрените apt-get install pcscd.",
  },
  noService: {
    english: "The PC/SC service is not running. Start it.",
    serbian: "PC/SC сервис не ради. Покрените га.",
  },
  noServiceLinux: {
    english: "The PC/SC service is not running. On Debian run apt-get install pcscd, then systemctl start pcscd.",
    serbian: "PC/SC сервис не ради. На Debian-у покрените apt-get install pcscd, па systemctl start pcscd.",
  },
  noServiceWindows: {
    english: "The PC/SC service is not running. Start the service Smart Card (SCardSvr).",
    serbian: "PC/SC сервис не ради. Покрените сервис Smart Card (SCardSvr).",
  },
  noReader: {
    english: "There is no card reader. Plug one in; tillseal card list shows what is there.",
    serbian: "Нема читача картица. Прикључите га; tillseal card list показује шта је прикључено.",
  },
  noReaderNamed: {
    english: 'There is no card reader whose name contains "{reader}". tillseal card list shows what is there.',
    serbian: "Нема читача картица чије име садржи „{reader}“. tillseal card list показује шта је прикључено.",
  },
  noCard: { english: "The card reader is empty.", serbian: "Читач картица је празан." },
  noCardNamed: { english: 'The reader "{reader}" is empty.', serbian: "Читач „{reader}“ је празан." },
  reading: { english: "The service is reading the card.", serbian: "Сервис чита картицу." },
  unplugged: { english: "The emulated reader is unplugged.", serbian: "Емулирани читач је искључен." },
  removed: { english: "The card was pulled out.", serbian: "Картица је извађена." },
  reset: { english: "Another program has reset the card.", serbian: "Други програм је ресетовао картицу." },
  silent: { english: "The card gave no usable answer.", serbian: "Картица није дала употребљив одговор." },
  readerLost: { english: "The connection to the reader broke off.", serbian: "Веза са читачем је прекинута." },
  noApplet: {
    english: "The card has no application for signing receipts (answer {answer}).",
    serbian: "Картица нема апликацију за потписивање рачуна (одговор {answer}).",
  },
  unknownApplet: {
    english: "The service does not know version {version} of the card's applet.",
    serbian: "Сервис не познаје верзију {version} аплета на картици.",
  },
  badCertificate: {
    english: "The card's certificate cannot be read.",
    serbian: "Сертификат картице се не може прочитати.",
  },
  unexpected: {
    english: "The card answered {answer} to {command}.",
    serbian: "Картица је на {command} одговорила {answer}.",
  },
  failed: { english: "The card cannot be used: {problem}", serbian: "Картица се не може користити: {problem}" },
};
