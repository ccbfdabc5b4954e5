/** What the settings mean, in Serbian; in English the service itself says it. */
export const SETTINGS_IN_SERBIAN: Readonly<Record<string, string>> = {
  port: "TCP порт сервиса; 0 бира слободан",
  host: "адреса на којој сервис слуша",
  languages: "језици рачуна, први за касе које ниједан не траже; без вредности они из окружења",
  journalHeader: "облик редова о обвезнику на врху рачуна",
  qrFormat: "QR код као PNG data URI, или као GIF у голом base64",
  pinFailureStatus: "HTTP статус погрешног ПИН-а или закључане картице",
  requestIdLength: "најдужи RequestId; 36 пропушта UUID са цртицама",
  pathSegment: "део путање који сме да стоји испред /api/v3, где сервиси на мрежи имају токен",
  negativeItems: "прими ставке са негативним износом, које неке касе шаљу као попуст",
  requireReferentTime: "одбиј копију или рефундацију без referentDocumentDT уместо да се рачун потражи у складишту",
  testInvoice: "одговарај на test-invoice; подразумевано да са емулатором, не са картицом",
};
