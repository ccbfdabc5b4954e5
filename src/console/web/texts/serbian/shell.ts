/** Serbian texts for the frame around the pages, and words that several pages share. */
import type { SHELL as ENGLISH } from "../english/shell.js";

export const SHELL: Readonly<Record<keyof typeof ENGLISH, string>> = {
  till: "Каса",
  receipts: "Рачуни",
  report: "Извештај",
  traffic: "Саобраћај",
  card: "Картица",
  settings: "Подешавања",
  pages: "Странице",
  language: "Језик",
  skip: "Пређи на садржај",
  notConnected: "Нема везе са сервисом. Покушавам поново…",
  notReached: "Сервис не одговара.",
  notReachedAdvice:
    "Ако ни каса не продаје, сачекајте минут, па поново покрените њен рачунар. Страница се сама наставља.",
  noPage: "Страница {name} не постоји. Ово је страница Каса.",
  back: "Назад",
  yes: "да",
  no: "не",
  of: "од",
  search: "Претрага",
  codeForTills: "Код за касе:",
  technicians: "За техничаре",
  callTechnician: "Кога позвати: {technician}",
  doctor: "Преглед",
  help: "Шта значи код",
};
