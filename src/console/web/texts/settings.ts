/** Names of the settings, and their meanings in Serbian; the service has the English meanings. */
interface SettingTexts {
  readonly english: string;
  readonly serbian: string;
  readonly meaning: string;
}

export const SETTING_TEXTS = {
  port: { english: "Port", serbian: "Порт", meaning: "TCP порт сервиса; 0 бира слободан" },
  host: {
    english: "Address",
    serbian: "Адреса",
    meaning:
      "адреса на којој сервис слуша; localhost је 127.0.0.1 и ::1, 0.0.0.0 свака IPv4 адреса овог рачунара, :: свака",
  },
  languages: {
    english: "Languages",
    serbian: "Језици",
    meaning: "језици рачуна, први за касе које ниједан не траже; без вредности они из окружења",
  },
  journalHeader: {
    english: "Header",
    serbian: "Заглавље",
    meaning: "облик редова о обвезнику на врху рачуна",
  },
  numberForm: {
    english: "Numbers",
    serbian: "Бројеви",
    meaning:
      "бројеви и времена на рачунима: comma штампа 1.234,50 и 9:05:00, point 1,234.50 и 09:05:00; без вредности облик језика",
  },
  answerForm: {
    english: "Form of the answers",
    serbian: "Облик одговора",
    meaning:
      "облик одговора: device је облик постојећих уређаја: 423 за одбијен ПИН, сам код за 1300, 1500, 1999 и 2400, QR код као GIF без data URI",
  },
  requestIdLength: {
    english: "Longest RequestId",
    serbian: "Најдужи RequestId",
    meaning: "највише знакова; 36 пропушта UUID са цртицама",
  },
  pathSegment: {
    english: "Segment in the path",
    serbian: "Део путање",
    meaning: "део путање који сме да стоји испред /api/v3, где сервиси на мрежи имају токен",
  },
  negativeItems: {
    english: "Negative items",
    serbian: "Негативне ставке",
    meaning: "прими ставке са негативним износом, које неке касе шаљу као попуст",
  },
  requireReferentTime: {
    english: "Time of the referent",
    serbian: "Време референтног рачуна",
    meaning: "одбиј копију или рефундацију без referentDocumentDT уместо да се рачун потражи у складишту",
  },
  clockDrift: {
    english: "Clock tolerance, seconds",
    serbian: "Толеранција сата, секунде",
    meaning: "колико секунди сат овог рачунара сме да се разликује од сервера времена",
  },
  testInvoice: {
    english: "Test invoices",
    serbian: "Пробни рачуни",
    meaning: "одговарај на test-invoice; подразумевано да са емулатором, не са картицом",
  },
  technician: {
    english: "Technician",
    serbian: "Техничар",
    meaning: "име и број телефона особе коју треба позвати; конзола их показује тамо где нешто није у реду",
  },
  backupKeep: {
    english: "Backups to keep",
    serbian: "Колико копија чувати",
    meaning: "колико резервних копија остаје; после сваке нове сервис брише старије",
  },
} as const satisfies Readonly<Record<string, SettingTexts>>;
