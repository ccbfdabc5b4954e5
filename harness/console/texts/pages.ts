/** Texts of the emulator's pages, each in English and in Serbian. */
const TEXTS = {
  controlNotReached: [
    "The emulator's control interface does not answer at {url}. From another machine it needs --control-host.",
    "Управљање емулатором не одговара на {url}. Са другог рачунара потребно је --control-host.",
  ],
  set: ["Set", "Постави"],
  saveScenario: ["Save as scenario", "Сачувај као сценарио"],
  forgetTraffic: ["Clear list and recording", "Обриши списак и снимак"],
  openAuthority: ["Open the emulated tax authority", "Отвори емулирану пореску управу"],
  authorityWarning: [
    "Your browser warns you there: the emulator has signed the certificate itself.",
    "Прегледач ће вас тамо упозорити: емулатор је сам потписао сертификат.",
  ],

  where: ["Where", "Где"],
  inReader: ["in the reader", "у читачу"],
  notInReader: ["outside the reader", "ван читача"],
  readerUnplugged: ["the reader is unplugged", "читач је искључен"],
  tries: ["PIN attempts", "Покушаји за ПИН"],
  counter: ["Invoices", "Рачуни"],
  counters: ["Counters", "Бројачи"],

  reader: ["Reader", "Читач"],
  insert: ["Insert", "Убаци"],
  remove: ["Remove", "Извади"],
  resetCard: ["Reset", "Ресетуј"],
  unplug: ["Unplug the reader", "Искључи читач"],
  plug: ["Plug the reader in", "Укључи читач"],
  swapFor: ["Swap for {name}", "Замени за {name}"],
  oneTryLess: ["One attempt less", "Један покушај мање"],
  oneTry: ["Last attempt", "Последњи покушај"],
  lock: ["Lock", "Закључај"],
  unlock: ["Unlock", "Откључај"],
  sum: ["Sum", "Збир"],
  limit: ["Limit", "Лимит"],
  auditSoonAct: ["To {percent} %", "На {percent} %"],
  limitReachedAct: ["To the limit", "На лимит"],
  auditAct: ["Audit", "Очитај"],
  auditStart: ["Start an audit", "Почни очитавање"],
  auditEnd: ["End the audit", "Заврши очитавање"],

  signing: ["Signing", "Потписивање"],
  switchOff: ["Switch off", "Искључи"],
  switchOn: ["Switch on", "Укључи"],
  directive: ["Directive of the authority", "Налог управе"],
  directiveOff: ["Send disable directive", "Пошаљи налог за искључивање"],
  directiveOn: ["Send enable directive", "Пошаљи налог за укључивање"],

  faults: ["Faults", "Кварови"],
  noFaults: ["No faults are set.", "Нема кварова."],
  on: ["On", "На"],
  what: ["What", "Шта"],
  nth: ["Only the n-th time", "Само n-ти пут"],
  everyTime: ["every time", "сваки пут"],
  probability: ["Probability", "Вероватноћа"],
  onPlace: ["on", "на"],
  struck: ["struck {struck} of {seen} times", "погодио {struck} од {seen} пута"],
  notStruck: ["not yet struck", "још није погодио"],
  takeAway: ["Remove", "Уклони"],
  clearFaults: ["Remove all", "Уклони све"],
  addFault: ["Add the fault", "Додај квар"],

  clock: ["Clock", "Сат"],
  frozen: ["stopped", "стоји"],
  setTo: ["Set to", "Постави на"],
  hourBack: ["−1 hour", "1 сат уназад"],
  hourOn: ["+1 hour", "1 сат унапред"],
  dayOn: ["+1 day", "1 дан унапред"],
  freeze: ["Stop the clock", "Заустави"],
  tick: ["Start the clock", "Пусти да иде"],

  world: ["Store and snapshots", "Складиште и снимци стања"],
  stored: [
    "Stored: {complete} signed, {open} in doubt, {lost} lost.",
    "У складишту: потписаних {complete}, неизвесних {open}, изгубљених {lost}.",
  ],
  snapshotName: ["Name of a snapshot", "Име снимка стања"],
  takeSnapshot: ["Take a snapshot", "Сними стање"],
  restore: ["Restore", "Врати"],
  restartClean: ["Restart the service", "Поново покрени сервис"],
  restartKilled: ["Kill and restart", "Угаси силом и покрени"],
  toStart: ["Back to the start", "Назад на почетак"],

  scenarios: ["Situations", "Ситуације"],
  scenariosAbout: [
    "Everything starts again with the card, the clock and the faults of the situation.",
    "Све почиње изнова са картицом, сатом и кваровима те ситуације.",
  ],
  asStarted: ["As the service was started", "Како је сервис покренут"],

  eraseAsk: ["Delete all receipts ({n})?", "Обрисати рачуне? Број рачуна: {n}"],
  eraseMeans: [
    "Cards, clock and faults are reset too. A snapshot restores everything while the emulator runs; save it to a file to keep it longer.",
    "Картице, сат и кварови такође почињу изнова. Снимак стања враћа све док емулатор ради; сачувајте га у датотеку да бисте га задржали дуже.",
  ],
  eraseFolder: ["They are kept in {folder}.", "Чувају се у {folder}."],
  eraseAnswer: ["Delete all receipts ({n})", "Обриши рачуне ({n})"],
  snapshotFirst: ["Take a snapshot first", "Прво сними стање"],
  saveFile: ["Save to a file", "Сачувај у датотеку"],
  loadSnapshot: ["Load a snapshot from a file", "Учитај снимак стања из датотеке"],
  start: ["Start", "Покрени"],
  started: ["Started: {name}", "Покренуто: {name}"],

  rehearsal: ["Rehearsal", "Проба"],
  rehearsalOrigin: [
    "Would this POS pass? These rules come from public digests of one authority's documents, not from the authority. The authority alone decides about an approval.",
    "Да ли би овај програм касе прошао? Ова правила потичу из јавних сажетака докумената једне пореске управе, а не од ње. О одобрењу одлучује само пореска управа.",
  ],
  rehearsalSummary: [
    "{passed} passed, {failed} failed, {open} not seen, {eyes} need a person.",
    "Прошло: {passed}, пало: {failed}, још није виђено: {open}, за преглед: {eyes}.",
  ],
  rehearsalRequests: ["Requests: {n}.", "Захтева: {n}."],
  rehearsalAgain: ["Begin again", "Почни изнова"],
  rehearsalList: ["What the authority asks", "Шта управа тражи"],
  rowPassed: ["passed", "прошло"],
  rowFailed: ["failed", "пало"],
  rowNotSeen: ["not seen", "још није виђено"],
  rowEyes: ["needs a person", "за преглед"],
  rowWrong: ["Wrong", "Погрешно"],
  rowChange: ["Change", "Промените"],
  rowTodo: ["To do", "Урадите"],
  rowMissing: ["Missing", "Недостаје"],
  rowRefused: ["Refused", "Одбијено"],
  rowNote: ["Note", "Напомена"],
  rowSource: ["Source", "Извор"],
  rowRequest: ["Request {id}:", "Захтев {id}:"],
  guide: ["Guide", "Водич"],
  guideAbout: [
    "Situations that a POS must survive. Set one up, and do in the POS what it says.",
    "Ситуације које програм касе мора да преживи. Поставите једну и урадите у програму оно што пише.",
  ],
  putSituation: ["Set up", "Постави"],
  beginsNewTill: ["begins a new till", "почиње нова каса"],
} as const;

type Key = keyof typeof TEXTS;

const inLanguage = (index: 0 | 1): Readonly<Record<Key, string>> =>
  Object.fromEntries(Object.entries(TEXTS).map(([key, texts]) => [key, texts[index]])) as Record<Key, string>;

export const ENGLISH = inLanguage(0);
export const SERBIAN = inLanguage(1);
