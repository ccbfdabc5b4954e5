/** The page Traffic. */
import type { TRAFFIC as ENGLISH } from "../english/traffic.js";

export const TRAFFIC: Readonly<Record<keyof typeof ENGLISH, string>> = {
  clearTraffic: "Обриши списак",
  noTraffic: "Још нема захтева. Усмерите своју касу на овај сервис.",
  searchTraffic: "путања, метод, код, RequestId",
  failedOnly: "Само грешке",
  older: "Старије",
  chooseTraffic: "Изаберите захтев да бисте га видели.",
  underWay: "у току",
  dropped: "прекинуто",
  headers: "Заглавља",
  copyCurl: "Копирај као curl",
  apdus: "Команде картици",
  noApdus: "Ништа.",
  bytes: "Бајтови",
};
