/** Windows' names of time zones, from CLDR 48 (Unicode License v3). */

/** A line for each: the name, its zone, and the zones of territories that have another one. */
export const WINDOWS_ZONES = `\
Afghanistan Standard Time|Asia/Kabul
Alaskan Standard Time|America/Anchorage
Aleutian Standard Time|America/Adak
Altai Standard Time|Asia/Barnaul
Arab Standard Time|Asia/Riyadh BH=Asia/Bahrain KW=Asia/Kuwait QA=Asia/Qatar YE=Asia/Aden
Arabian Standard Time|Asia/Dubai OM=Asia/Muscat ZZ=Etc/GMT-4
Arabic Standard Time|Asia/Baghdad
Argentina Standard Time|America/Buenos_Aires
Astrakhan Standard Time|Europe/Astrakhan
Atlantic Standard Time|America/Halifax BM=Atlantic/Bermuda GL=America/Thule
AUS Central Standard Time|Australia/Darwin
Aus Central W. Standard Time|Australia/Eucla
AUS Eastern Standard Time|Australia/Sydney
Azerbaijan Standard Time|Asia/Baku
Azores Standard Time|Atlantic/Azores GL=America/Scoresbysund
Bahia Standard Time|America/Bahia
Bangladesh Standard Time|Asia/Dhaka BT=Asia/Thimphu
Belarus Standard Time|Europe/Minsk
Bougainville Standard Time|Pacific/Bougainville
Canada Central Standard Time|America/Regina
Cape Verde Standard Time|Atlantic/Cape_Verde ZZ=Etc/GMT+1
Caucasus Standard Time|Asia/Yerevan
Cen. Australia Standard Time|Australia/Adelaide
Central America Standard Time|America/Guatemala BZ=America/Belize CR=America/Costa_Rica EC=Pacific/Galapagos HN=America/Tegucigalpa NI=America/Managua SV=America/El_Salvador ZZ=Etc/GMT+6
Central Asia Standard Time|Asia/Bishkek AQ=Antarctica/Vostok CN=Asia/Urumqi IO=Indian/Chagos ZZ=Etc/GMT-6
Central Brazilian Standard Time|America/Cuiaba
Central Europe Standard Time|Europe/Budapest AL=Europe/Tirane CZ=Europe/Prague ME=Europe/Podgorica RS=Europe/Belgrade SI=Europe/Ljubljana SK=Europe/Bratislava
Central European Standard Time|Europe/Warsaw BA=Europe/Sarajevo HR=Europe/Zagreb MK=Europe/Skopje
Central Pacific Standard Time|Pacific/Guadalcanal AQ=Antarctica/Casey FM=Pacific/Ponape NC=Pacific/Noumea VU=Pacific/Efate ZZ=Etc/GMT-11
Central Standard Time|America/Chicago CA=America/Winnipeg MX=America/Matamoros
Central Standard Time (Mexico)|America/Mexico_City
Chatham Islands Standard Time|Pacific/Chatham
China Standard Time|Asia/Shanghai HK=Asia/Hong_Kong MO=Asia/Macau
Cuba Standard Time|America/Havana
Dateline Standard Time|Etc/GMT+12
E. Africa Standard Time|Africa/Nairobi AQ=Antarctica/Syowa DJ=Africa/Djibouti ER=Africa/Asmera ET=Africa/Addis_Ababa KM=Indian/Comoro MG=Indian/Antananarivo SO=Africa/Mogadishu TZ=Africa/Dar_es_Salaam UG=Africa/Kampala YT=Indian/Mayotte ZZ=Etc/GMT-3
E. Australia Standard Time|Australia/Brisbane
E. Europe Standard Time|Europe/Chisinau
E. South America Standard Time|America/Sao_Paulo
Easter Island Standard Time|Pacific/Easter
Eastern Standard Time|America/New_York BS=America/Nassau CA=America/Toronto
Eastern Standard Time (Mexico)|America/Cancun
Egypt Standard Time|Africa/Cairo
Ekaterinburg Standard Time|Asia/Yekaterinburg
Fiji Standard Time|Pacific/Fiji
FLE Standard Time|Europe/Kiev AX=Europe/Mariehamn BG=Europe/Sofia EE=Europe/Tallinn FI=Europe/Helsinki LT=Europe/Vilnius LV=Europe/Riga
Georgian Standard Time|Asia/Tbilisi
GMT Standard Time|Europe/London ES=Atlantic/Canary FO=Atlantic/Faeroe GG=Europe/Guernsey IE=Europe/Dublin IM=Europe/Isle_of_Man JE=Europe/Jersey PT=Europe/Lisbon
Greenland Standard Time|America/Godthab
Greenwich Standard Time|Atlantic/Reykjavik BF=Africa/Ouagadougou CI=Africa/Abidjan GH=Africa/Accra GL=America/Danmarkshavn GM=Africa/Banjul GN=Africa/Conakry GW=Africa/Bissau LR=Africa/Monrovia ML=Africa/Bamako MR=Africa/Nouakchott SH=Atlantic/St_Helena SL=Africa/Freetown SN=Africa/Dakar TG=Africa/Lome
GTB Standard Time|Europe/Bucharest CY=Asia/Nicosia GR=Europe/Athens
Haiti Standard Time|America/Port-au-Prince
Hawaiian Standard Time|Pacific/Honolulu CK=Pacific/Rarotonga PF=Pacific/Tahiti ZZ=Etc/GMT+10
India Standard Time|Asia/Calcutta
Iran Standard Time|Asia/Tehran
Israel Standard Time|Asia/Jerusalem
Jordan Standard Time|Asia/Amman
Kaliningrad Standard Time|Europe/Kaliningrad
Korea Standard Time|Asia/Seoul
Libya Standard Time|Africa/Tripoli
Line Islands Standard Time|Pacific/Kiritimati ZZ=Etc/GMT-14
Lord Howe Standard Time|Australia/Lord_Howe
Magadan Standard Time|Asia/Magadan
Magallanes Standard Time|America/Punta_Arenas
Marquesas Standard Time|Pacific/Marquesas
Mauritius Standard Time|Indian/Mauritius RE=Indian/Reunion SC=Indian/Mahe
Middle East Standard Time|Asia/Beirut
Montevideo Standard Time|America/Montevideo
Morocco Standard Time|Africa/Casablanca EH=Africa/El_Aaiun
Mountain Standard Time|America/Denver CA=America/Edmonton MX=America/Ciudad_Juarez
Mountain Standard Time (Mexico)|America/Mazatlan
Myanmar Standard Time|Asia/Rangoon CC=Indian/Cocos
N. Central Asia Standard Time|Asia/Novosibirsk
Namibia Standard Time|Africa/Windhoek
Nepal Standard Time|Asia/Katmandu
New Zealand Standard Time|Pacific/Auckland AQ=Antarctica/McMurdo
Newfoundland Standard Time|America/St_Johns
Norfolk Standard Time|Pacific/Norfolk
North Asia East Standard Time|Asia/Irkutsk
North Asia Standard Time|Asia/Krasnoyarsk
North Korea Standard Time|Asia/Pyongyang
Omsk Standard Time|Asia/Omsk
Pacific SA Standard Time|America/Santiago
Pacific Standard Time|America/Los_Angeles CA=America/Vancouver
Pacific Standard Time (Mexico)|America/Tijuana
Pakistan Standard Time|Asia/Karachi
Paraguay Standard Time|America/Asuncion
Qyzylorda Standard Time|Asia/Qyzylorda
Romance Standard Time|Europe/Paris BE=Europe/Brussels DK=Europe/Copenhagen ES=Europe/Madrid
Russia Time Zone 3|Europe/Samara
Russia Time Zone 10|Asia/Srednekolymsk
Russia Time Zone 11|Asia/Kamchatka
Russian Standard Time|Europe/Moscow UA=Europe/Simferopol
SA Eastern Standard Time|America/Cayenne AQ=Antarctica/Rothera BR=America/Fortaleza FK=Atlantic/Stanley SR=America/Paramaribo ZZ=Etc/GMT+3
SA Pacific Standard Time|America/Bogota BR=America/Rio_Branco CA=America/Coral_Harbour EC=America/Guayaquil JM=America/Jamaica KY=America/Cayman PA=America/Panama PE=America/Lima ZZ=Etc/GMT+5
SA Western Standard Time|America/La_Paz AG=America/Antigua AI=America/Anguilla AW=America/Aruba BB=America/Barbados BL=America/St_Barthelemy BQ=America/Kralendijk BR=America/Manaus CA=America/Blanc-Sablon CW=America/Curacao DM=America/Dominica DO=America/Santo_Domingo GD=America/Grenada GP=America/Guadeloupe GY=America/Guyana KN=America/St_Kitts LC=America/St_Lucia MF=America/Marigot MQ=America/Martinique MS=America/Montserrat PR=America/Puerto_Rico SX=America/Lower_Princes TT=America/Port_of_Spain VC=America/St_Vincent VG=America/Tortola VI=America/St_Thomas ZZ=Etc/GMT+4
Saint Pierre Standard Time|America/Miquelon
Sakhalin Standard Time|Asia/Sakhalin
Samoa Standard Time|Pacific/Apia
Sao Tome Standard Time|Africa/Sao_Tome
Saratov Standard Time|Europe/Saratov
SE Asia Standard Time|Asia/Bangkok AQ=Antarctica/Davis CX=Indian/Christmas ID=Asia/Jakarta KH=Asia/Phnom_Penh LA=Asia/Vientiane VN=Asia/Saigon ZZ=Etc/GMT-7
Singapore Standard Time|Asia/Singapore BN=Asia/Brunei ID=Asia/Makassar MY=Asia/Kuala_Lumpur PH=Asia/Manila ZZ=Etc/GMT-8
South Africa Standard Time|Africa/Johannesburg BI=Africa/Bujumbura BW=Africa/Gaborone CD=Africa/Lubumbashi LS=Africa/Maseru MW=Africa/Blantyre MZ=Africa/Maputo RW=Africa/Kigali SZ=Africa/Mbabane ZM=Africa/Lusaka ZW=Africa/Harare ZZ=Etc/GMT-2
South Sudan Standard Time|Africa/Juba
Sri Lanka Standard Time|Asia/Colombo
Sudan Standard Time|Africa/Khartoum
Syria Standard Time|Asia/Damascus
Taipei Standard Time|Asia/Taipei
Tasmania Standard Time|Australia/Hobart
Tocantins Standard Time|America/Araguaina
Tokyo Standard Time|Asia/Tokyo ID=Asia/Jayapura PW=Pacific/Palau TL=Asia/Dili ZZ=Etc/GMT-9
Tomsk Standard Time|Asia/Tomsk
Tonga Standard Time|Pacific/Tongatapu
Transbaikal Standard Time|Asia/Chita
Turkey Standard Time|Europe/Istanbul
Turks And Caicos Standard Time|America/Grand_Turk
Ulaanbaatar Standard Time|Asia/Ulaanbaatar
US Eastern Standard Time|America/Indianapolis
US Mountain Standard Time|America/Phoenix CA=America/Creston MX=America/Hermosillo ZZ=Etc/GMT+7
UTC|Etc/UTC
UTC-02|Etc/GMT+2 BR=America/Noronha GS=Atlantic/South_Georgia
UTC-08|Etc/GMT+8 PN=Pacific/Pitcairn
UTC-09|Etc/GMT+9 PF=Pacific/Gambier
UTC-11|Etc/GMT+11 AS=Pacific/Pago_Pago NU=Pacific/Niue UM=Pacific/Midway
UTC+12|Etc/GMT-12 KI=Pacific/Tarawa MH=Pacific/Majuro NR=Pacific/Nauru TV=Pacific/Funafuti UM=Pacific/Wake WF=Pacific/Wallis
UTC+13|Etc/GMT-13 KI=Pacific/Enderbury TK=Pacific/Fakaofo
Venezuela Standard Time|America/Caracas
Vladivostok Standard Time|Asia/Vladivostok
Volgograd Standard Time|Europe/Volgograd
W. Australia Standard Time|Australia/Perth
W. Central Africa Standard Time|Africa/Lagos AO=Africa/Luanda BJ=Africa/Porto-Novo CD=Africa/Kinshasa CF=Africa/Bangui CG=Africa/Brazzaville CM=Africa/Douala DZ=Africa/Algiers GA=Africa/Libreville GQ=Africa/Malabo NE=Africa/Niamey TD=Africa/Ndjamena TN=Africa/Tunis ZZ=Etc/GMT-1
W. Europe Standard Time|Europe/Berlin AD=Europe/Andorra AT=Europe/Vienna CH=Europe/Zurich GI=Europe/Gibraltar IT=Europe/Rome LI=Europe/Vaduz LU=Europe/Luxembourg MC=Europe/Monaco MT=Europe/Malta NL=Europe/Amsterdam NO=Europe/Oslo SE=Europe/Stockholm SJ=Arctic/Longyearbyen SM=Europe/San_Marino VA=Europe/Vatican
W. Mongolia Standard Time|Asia/Hovd
West Asia Standard Time|Asia/Tashkent AQ=Antarctica/Mawson KZ=Asia/Oral MV=Indian/Maldives TF=Indian/Kerguelen TJ=Asia/Dushanbe TM=Asia/Ashgabat ZZ=Etc/GMT-5
West Bank Standard Time|Asia/Hebron
West Pacific Standard Time|Pacific/Port_Moresby AQ=Antarctica/DumontDUrville FM=Pacific/Truk GU=Pacific/Guam MP=Pacific/Saipan ZZ=Etc/GMT-10
Yakutsk Standard Time|Asia/Yakutsk
Yukon Standard Time|America/Whitehorse
`;
