/**
 * Vehicle vocabularies: the option lists of the search form. Each provider maps them to and from its vendor's words;
 * nothing else knows a vendor's words.
 */

/** Colors of the search form; `rekorOnly` ones are labeled "Rekor Only" (specification section 2, /search). */
export const VEHICLE_COLORS = [
  { name: "Black", rekorOnly: false },
  { name: "Blue", rekorOnly: false },
  { name: "Brown", rekorOnly: false },
  { name: "Gold/Beige", rekorOnly: true },
  { name: "Green", rekorOnly: false },
  { name: "Orange", rekorOnly: true },
  { name: "Pink", rekorOnly: true },
  { name: "Purple", rekorOnly: true },
  { name: "Red", rekorOnly: false },
  { name: "Silver/Gray", rekorOnly: false },
  { name: "White", rekorOnly: false },
  { name: "Yellow", rekorOnly: false },
] as const;

export type VehicleColor = (typeof VEHICLE_COLORS)[number]["name"];

/**
 * The 46 makes of the search form, Acura to Yamaha. The specification names only the first and last; the rest is ours.
 */
export const VEHICLE_MAKES = [
  "Acura",
  "Audi",
  "BMW",
  "Buick",
  "Cadillac",
  "Chevrolet",
  "Chrysler",
  "Dodge",
  "Ducati",
  "Fiat",
  "Ford",
  "Freightliner",
  "Genesis",
  "GMC",
  "Harley-Davidson",
  "Honda",
  "Hyundai",
  "Infiniti",
  "International",
  "Jaguar",
  "Jeep",
  "Kawasaki",
  "Kenworth",
  "Kia",
  "Land Rover",
  "Lexus",
  "Lincoln",
  "Mack",
  "Maserati",
  "Mazda",
  "Mercedes-Benz",
  "MINI",
  "Mitsubishi",
  "Nissan",
  "Pontiac",
  "Porsche",
  "Ram",
  "Saturn",
  "Scion",
  "Subaru",
  "Suzuki",
  "Tesla",
  "Toyota",
  "Volkswagen",
  "Volvo",
  "Yamaha",
] as const;

/**
 * Makes that a search may also name, though the form does not list them: existing clients have an unknown list of 46
 * makes (specification section 3).
 */
const OTHER_MAKES = [
  "Alfa Romeo",
  "AM General",
  "AMC",
  "Aprilia",
  "Aston Martin",
  "Autocar",
  "Bentley",
  "Blue Bird",
  "Buell",
  "Bugatti",
  "BYD",
  "Can-Am",
  "Citroen",
  "Daewoo",
  "Daihatsu",
  "Datsun",
  "DeLorean",
  "Eagle",
  "Ferrari",
  "Fisker",
  "GEM",
  "Geo",
  "Hino",
  "Hummer",
  "Indian",
  "Isuzu",
  "Karma",
  "KTM",
  "Lamborghini",
  "Lancia",
  "Lotus",
  "Lucid",
  "Maybach",
  "McLaren",
  "Mercury",
  "MG",
  "Moto Guzzi",
  "Oldsmobile",
  "Opel",
  "Peterbilt",
  "Peugeot",
  "Plymouth",
  "Polaris",
  "Polestar",
  "Renault",
  "Rivian",
  "Rolls-Royce",
  "Royal Enfield",
  "Saab",
  "SEAT",
  "Skoda",
  "Smart",
  "Sterling",
  "Triumph",
  "Vespa",
  "Victory",
  "VinFast",
  "Western Star",
] as const;

/** The makes that a search accepts: those of the form, then others. */
export const SEARCHED_MAKES = [...VEHICLE_MAKES, ...OTHER_MAKES];
export type VehicleMake = (typeof SEARCHED_MAKES)[number];

/** Body types of the search form, verbatim (specification section 2, /search). */
export const VEHICLE_BODY_TYPES = [
  "sedan-standard",
  "sedan-convertible",
  "sedan-wagon",
  "sedan-sports",
  "sedan-compact",
  "SUV",
  "truck-standard",
  "tractor-trailer",
  "van-full",
  "van-mini",
  "Motorcycle",
] as const;

export type VehicleBodyType = (typeof VEHICLE_BODY_TYPES)[number];
