/** The Serbian name and meaning of each kind of fault. The English meanings are in emulator/faults/fault.ts. */
import type { FaultKind } from "../../../emulator/faults/fault.js";

export const FAULT_TEXTS: Readonly<Record<FaultKind, { readonly name: string; readonly meaning: string }>> = {
  latency: {
    name: "Кашњење",
    meaning:
      "операција траје duration, или између duration и upTo; без иједног, колико код праве картице. На answer касни цео одговор",
  },
  statusWord: { name: "Статусна реч", meaning: "картица одговара са statusWord и не ради ништа" },
  staleStatusWord: {
    name: "Застарела статусна реч",
    meaning: "картица то изврши и одговори са statusWord, као картица која понавља стари одговор",
  },
  garbage: { name: "Насумични бајтови", meaning: "картица то изврши и одговори насумичним бајтовима" },
  bitFlip: {
    name: "Погрешан бит",
    meaning:
      "картица то изврши, а у њеном одговору је погрешан бит број bit, бројано од 0; у краћем одговору броји се даље од почетка. Статусна реч је део одговора",
  },
  short: {
    name: "Прекинут одговор",
    meaning:
      "картица то изврши, а њен одговор се прекида; на answer се веза прекида усред тела, иако је Content-Length најавио цело",
  },
  noAnswer: { name: "Нема одговора", meaning: "картица то изврши и никад не одговори" },
  removedBefore: { name: "Извађена пре", meaning: "картица је извађена пре него што то изврши" },
  removedAfter: {
    name: "Извађена после",
    meaning: "картица је извађена пошто то изврши, пре него што стигне њен одговор",
  },
  readerLost: { name: "Нема читача", meaning: "читач је искључен" },
  connectionDropped: {
    name: "Прекинута веза",
    meaning: "веза са касом се прекида пре него што је ишта од одговора послато",
  },
  trickle: { name: "Спор одговор", meaning: "бајтови одговора стижу по неколико, сви у року од duration" },
  diskFull: { name: "Пун диск", meaning: "диск је пун" },
  diskReadOnly: { name: "Диск само за читање", meaning: "на диск се не може писати" },
  diskError: { name: "Грешка диска", meaning: "диск не прима оно што се уписује" },
  clockJump: { name: "Скок сата", meaning: "сат скаче за duration, уназад са минусом" },
};
