//! Places that everybody knows by their names.
//!
//! Whoever says *we moved to Jira* has changed a tool and no home, and new tools come every day:
//! so it is the places that are named here. What is missed can be said of oneself.

/// Whether it is a place that everybody knows: `Bergen`, `Oslo, Norway`, `New York`.
pub(super) fn is_known_place(said: &str) -> bool {
    let said = said.trim().trim_start_matches("the ");
    let place = said.split(',').next().unwrap_or_default();
    KNOWN.split_whitespace().chain(SEVERAL.split('|')).any(|known| known == place)
}

/// Of several words.
const SEVERAL: &str = "\
    Northern Ireland|South Africa|South Korea|North Korea|North Carolina|South Carolina|North Dakota|South Dakota|\
    West Virginia|Rhode Island|Saudi Arabia|Sri Lanka|Costa Rica|Puerto Rico|Ivory Coast|El Salvador|Salt Lake City|\
    Mexico City|Panama City|Kansas City|Quebec City|United Kingdom|United States|New York|New York City|New Orleans|\
    New Zealand|New Jersey|New Mexico|New Hampshire|New Delhi|San Francisco|San Diego|San Jose|San Antonio|\
    San Sebastián|San Sebastian|Santa Barbara|Santa Cruz|Santa Fe|Los Angeles|Las Vegas|Las Palmas|St. Louis|\
    St. Gallen|St. Petersburg|Buenos Aires|Rio de Janeiro|São Paulo|Sao Paulo|Cape Town|Tel Aviv|Hong Kong|\
    Kuala Lumpur|Ho Chi Minh City|Abu Dhabi|Addis Ababa|Fort Worth|Palo Alto|Long Beach|The Hague|Den Haag|\
    Frankfurt am Main|Aix-en-Provence|Stratford-upon-Avon|Gold Coast|Washington D.C.|Baden-Baden|Bosnia and Herzegovina";

const KNOWN: &str = "\
    Afghanistan Albania Algeria Andorra Angola Argentina Armenia Australia Austria Azerbaijan Bahrain \
    Bangladesh Barbados Belarus Belgium Belize Benin Bhutan Bolivia Bosnia Botswana Brazil Brunei Bulgaria \
    Cambodia Cameroon Canada Chile China Colombia Croatia Cuba Cyprus Czechia Denmark Ecuador Egypt England \
    Eritrea Estonia Ethiopia Fiji Finland France Gabon Gambia Germany Ghana Greece Greenland Guatemala Guyana \
    Haiti Honduras Hungary Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Kazakhstan \
    Kenya Kosovo Kuwait Kyrgyzstan Laos Latvia Lebanon Liberia Libya Liechtenstein Lithuania Luxembourg Macau \
    Madagascar Malawi Malaysia Maldives Mali Malta Mauritius Mexico Moldova Monaco Mongolia Montenegro \
    Morocco Mozambique Myanmar Namibia Nepal Netherlands Nicaragua Nigeria Norway Oman Pakistan Palestine \
    Panama Paraguay Peru Philippines Poland Portugal Qatar Romania Russia Rwanda Scotland Senegal Serbia \
    Singapore Slovakia Slovenia Somalia Spain Sudan Suriname Sweden Switzerland Syria Taiwan Tajikistan \
    Tanzania Thailand Tunisia Turkey Turkmenistan Uganda Ukraine Uruguay Uzbekistan Venezuela Vietnam Wales \
    Yemen Zambia Zimbabwe UK USA US UAE Aarhus Aberdeen Accra Adelaide Albuquerque Aleppo Alexandria Algiers \
    Alicante Almaty Amman Amsterdam Anchorage Ankara Antalya Antwerp Arhus Asheville Asuncion Athens Atlanta \
    Auckland Augsburg Austin Baghdad Baku Bali Baltimore Bangalore Bangkok Barcelona Bari Basel Beijing \
    Beirut Belfast Belgrade Bengaluru Bergen Berlin Bern Bilbao Birmingham Bogota Bologna Bonn Bordeaux \
    Boston Boulder Bradford Braga Brasilia Bratislava Bremen Brighton Brisbane Bristol Brno Brooklyn Bruges \
    Brussels Bucharest Budapest Buffalo Bursa Busan Cairo Calgary Cambridge Canberra Cardiff Casablanca \
    Charleston Charlotte Chengdu Chennai Chicago Chongqing Christchurch Cincinnati Cleveland Cologne Colombo \
    Columbus Copenhagen Cordoba Cork Coventry Dakar Dallas Damascus Delhi Denver Detroit Dhaka Dortmund \
    Dresden Drammen Dubai Dublin Dundee Durban Dusseldorf Düsseldorf Edinburgh Edmonton Eindhoven Essen \
    Exeter Faro Florence Frankfurt Freiburg Fukuoka Gdansk Geneva Genoa Ghent Glasgow Gothenburg Göteborg \
    Granada Graz Grenoble Groningen Guadalajara Guangzhou Haarlem Hague Haifa Halifax Hamburg \
    Hangzhou Hanoi Hanover Harare Havana Helsinki Hiroshima Honolulu Houston Hyderabad Indianapolis Innsbruck \
    Istanbul Izmir Jaipur Jakarta Jeddah Jerusalem Johannesburg Kampala Karachi Karlsruhe Kathmandu Katowice \
    Kaunas Kharkiv Kigali Kingston Kinshasa Kobe Kolkata Krakow Kraków Kristiansand Kyiv Kiev Kyoto Lagos \
    Lahore Lausanne Leeds Leicester Leiden Leipzig Lille Lima Limerick Linz Lisbon Liverpool Ljubljana Lodz \
    London Louisville Luanda Lucerne Lund Lusaka Lviv Lyon Maastricht Madison Madrid Mainz Malaga Málaga \
    Malmo Malmö Manchester Manhattan Manila Mannheim Maputo Marrakesh Marseille Medellin Melbourne Memphis \
    Miami Milan Milwaukee Minneapolis Minsk Modena Monterrey Montevideo Montreal Moscow Mumbai Munich Münster \
    Nagoya Nairobi Nanjing Nantes Naples Nashville Newark Newcastle Nice Norwich Nottingham Nuremberg Oakland \
    Odense Odesa Odessa Osaka Oslo Ottawa Oulu Oxford Padua Palermo Paris Parma Perth Philadelphia \
    Pisa Pittsburgh Plymouth Portland Porto Portsmouth Poznan Prague Pretoria Providence Pune Quebec Queens \
    Quito Raleigh Ravenna Reykjavik Riga Riyadh Rome Rostock Rotterdam Sacramento Salamanca Salzburg Santiago \
    Sapporo Sarajevo Seattle Sendai Seoul Seville Shanghai Sheffield Shenzhen Skopje Sofia Southampton \
    Stavanger Stockholm Strasbourg Stuttgart Suzhou Swansea Sydney Taipei Tallinn Tampa Tampere Tartu Tbilisi \
    Tehran Thessaloniki Tianjin Tirana Tokyo Toronto Toulouse Trieste Tromsø Trondheim Tucson Tunis Turin \
    Turku Uppsala Utrecht Valencia Vancouver Venice Verona Vienna Vilnius Warsaw Washington Wellington \
    Wiesbaden Winnipeg Wroclaw Wrocław Wuhan Würzburg Yangon Yerevan Yokohama York Zagreb Zaragoza Zurich \
    Zürich Alabama Alaska Arizona Arkansas California Colorado Connecticut Florida Hawaii Idaho \
    Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota \
    Mississippi Missouri Montana Nebraska Nevada Ohio Oklahoma Oregon Pennsylvania Tennessee Texas Utah \
    Vermont Virginia Wisconsin Wyoming Ontario Alberta Bavaria Tuscany Catalonia Brittany Normandy Provence \
    Sicily Sardinia Cornwall Yorkshire Queensland Tasmania NYC ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_known_and_a_tool_is_none() {
        for place in ["Bergen", "Oslo, Norway", "New York", "the Netherlands", "South Africa"] {
            assert!(is_known_place(place), "{place}");
        }
        for tool in ["Jira", "Google Workspace", "Oslo Cloud", "GitLab", "New Relic", "Phoenix", ""]
        {
            assert!(!is_known_place(tool), "{tool}");
        }
    }
}
