/** Articles of small shops, with the names that receipts print. Tills with Cyrillic labels use the Cyrillic names. */

export interface Article {
  readonly latin: string;
  readonly cyrillic: string;
  /** Lowest and highest price, in hundredths. */
  readonly price: readonly [number, number];
  readonly byWeight?: true;
}

export const ARTICLES: readonly Article[] = [
  { latin: "Hleb beli 500 g", cyrillic: "Хлеб бели 500 г", price: [4500, 12000] },
  { latin: "Mleko 2,8 % 1 l", cyrillic: "Млеко 2,8 % 1 л", price: [11000, 18999] },
  { latin: "Kafa mlevena 200 g", cyrillic: "Кафа млевена 200 г", price: [21999, 45999] },
  { latin: "Espreso", cyrillic: "Еспресо", price: [13000, 29000] },
  { latin: "Jabuke ajdared", cyrillic: "Јабуке ајдаред", price: [7999, 16999], byWeight: true },
  { latin: "Krompir", cyrillic: "Кромпир", price: [5999, 13999], byWeight: true },
  { latin: "Kajmak", cyrillic: "Кајмак", price: [99900, 189900], byWeight: true },
  { latin: "Sveska A4, kvadratići", cyrillic: "Свеска А4, квадратићи", price: [9900, 34900] },
  { latin: "Čokolada sa lešnikom", cyrillic: "Чоколада са лешником", price: [14999, 39999] },
  { latin: "Ulje suncokretovo 1 l", cyrillic: "Уље сунцокретово 1 л", price: [16999, 24999] },
  { latin: "Šraf 4×40 mm", cyrillic: "Шраф 4×40 мм", price: [250, 1999] },
  { latin: "Usluga dostave", cyrillic: "Услуга доставе", price: [19000, 49000] },
  { latin: "Ćevapi u lepinji", cyrillic: "Ћевапи у лепињи", price: [39000, 79000] },
  { latin: "Majica pamučna, vel. L", cyrillic: "Мајица памучна, вел. Л", price: [99900, 299900] },
];
