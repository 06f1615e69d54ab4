/**
 * The agencies and the cameras of the demo world. Roads and towns are real, so that tracks look right on a map;
 * the cameras and their owners are invented.
 */
export type Program = "rekor" | "axon" | "axis";

export interface Agency {
  id: string;
  name: string;
}

export interface Camera {
  /** Its index in CAMERAS. */
  index: number;
  id: string;
  /** The label as an installer would write it: road, direction, crossing. */
  name: string;
  road: string;
  town: string;
  program: Program;
  agencyId: string;
  latitude: number;
  longitude: number;
  /** Heading of the lane that it watches, in degrees clockwise from north. */
  heading: number;
  highway: boolean;
  /** Share of its reads that have one misread character. */
  errorRate: number;
}

export const AGENCIES: readonly Agency[] = [
  { id: "hartford-pd", name: "Hartford Police Department" },
  { id: "new-haven-pd", name: "New Haven Police Department" },
  { id: "west-hartford-pd", name: "West Hartford Police Department" },
  { id: "east-hartford-pd", name: "East Hartford Police Department" },
  { id: "manchester-pd", name: "Manchester Police Department" },
  { id: "new-britain-pd", name: "New Britain Police Department" },
  { id: "glastonbury-pd", name: "Glastonbury Police Department" },
  { id: "middletown-pd", name: "Middletown Police Department" },
  { id: "wethersfield-pd", name: "Wethersfield Police Department" },
  { id: "meriden-pd", name: "Meriden Police Department" },
  { id: "hamden-pd", name: "Hamden Police Department" },
  { id: "ct-state-police", name: "Connecticut State Police" },
];

type Row = [string, string, number, number, number];

const POSTS: readonly { program: Program; agencyId: string; town: string; rows: readonly Row[] }[] = [
  {
    program: "rekor",
    agencyId: "hartford-pd",
    town: "Hartford",
    rows: [
      ["I-84 EB", "Sisson Ave", 41.7622, -72.7036, 80],
      ["I-84 WB", "High St", 41.7716, -72.679, 265],
      ["I-91 NB", "Jennings Rd", 41.7916, -72.656, 5],
      ["Albany Ave EB", "Woodland St", 41.7806, -72.6985, 110],
      ["Main St SB", "Park St", 41.7573, -72.6757, 180],
      ["Wethersfield Ave NB", "Preston St", 41.7447, -72.6694, 355],
      ["Farmington Ave WB", "Sigourney St", 41.7675, -72.6935, 270],
    ],
  },
  {
    program: "rekor",
    agencyId: "west-hartford-pd",
    town: "West Hartford",
    rows: [
      ["Farmington Ave EB", "LaSalle Rd", 41.7619, -72.743, 90],
      ["New Park Ave NB", "Flatbush Ave", 41.745, -72.7195, 20],
      ["I-84 EB", "Ridgewood Rd", 41.7405, -72.7493, 55],
      ["Albany Ave WB", "N Main St", 41.7852, -72.748, 280],
    ],
  },
  {
    program: "rekor",
    agencyId: "manchester-pd",
    town: "Manchester",
    rows: [
      ["I-84 EB", "Buckland St", 41.803, -72.549, 60],
      ["Main St NB", "Center St", 41.7757, -72.5215, 0],
      ["I-384 WB", "Spencer St", 41.7655, -72.562, 280],
    ],
  },
  {
    program: "rekor",
    agencyId: "new-britain-pd",
    town: "New Britain",
    rows: [
      ["Rt 72 EB", "Columbus Blvd", 41.666, -72.779, 85],
      ["Rt 9 SB", "Ella T Grasso Blvd", 41.675, -72.765, 160],
      ["W Main St EB", "Washington St", 41.668, -72.786, 95],
    ],
  },
  {
    program: "rekor",
    agencyId: "glastonbury-pd",
    town: "Glastonbury",
    rows: [
      ["Rt 2 EB", "Hebron Ave", 41.7118, -72.6, 135],
      ["Main St SB", "New London Tpke", 41.705, -72.609, 170],
      ["Rt 3 NB", "Putnam Bridge", 41.718, -72.637, 40],
    ],
  },
  {
    program: "axon",
    agencyId: "ct-state-police",
    town: "Connecticut",
    rows: [
      ["I-91 SB", "Exit 37 Windsor", 41.852, -72.662, 185],
      ["I-91 NB", "Exit 24 Rocky Hill", 41.6675, -72.655, 350],
      ["I-91 SB", "Exit 11 North Haven", 41.39, -72.869, 205],
      ["I-95 NB", "Pearl Harbor Memorial Bridge", 41.303, -72.909, 75],
      ["I-95 SB", "Exit 54 Branford", 41.3005, -72.818, 255],
      ["I-84 WB", "Exit 64 Vernon", 41.833, -72.496, 240],
      ["Rt 15 NB", "Exit 64 Wallingford", 41.447, -72.85, 25],
      ["I-691 EB", "Exit 5 Meriden", 41.5445, -72.82, 90],
      ["Rt 2 WB", "Exit 12 Marlborough", 41.638, -72.457, 300],
      ["Rt 9 NB", "Exit 18 Cromwell", 41.608, -72.668, 330],
    ],
  },
  {
    program: "axon",
    agencyId: "east-hartford-pd",
    town: "East Hartford",
    rows: [
      ["Burnside Ave EB", "Church St", 41.776, -72.614, 80],
      ["Main St NB", "Pitkin St", 41.765, -72.644, 10],
      ["I-84 EB", "Roberts St", 41.775, -72.604, 70],
    ],
  },
  {
    program: "axon",
    agencyId: "hamden-pd",
    town: "Hamden",
    rows: [
      ["Dixwell Ave NB", "Skiff St", 41.372, -72.917, 15],
      ["Whitney Ave NB", "Sherman Ave", 41.418, -72.899, 10],
    ],
  },
  {
    program: "axon",
    agencyId: "new-haven-pd",
    town: "New Haven",
    rows: [
      ["Whalley Ave WB", "Orchard St", 41.317, -72.939, 300],
      ["I-91 NB", "Exit 3 Trumbull St", 41.314, -72.914, 40],
      ["Chapel St EB", "Church St", 41.306, -72.925, 115],
    ],
  },
  {
    program: "axis",
    agencyId: "hartford-pd",
    town: "Hartford",
    rows: [
      ["Asylum Ave EB", "Broad St", 41.769, -72.686, 100],
      ["Maple Ave SB", "White St", 41.737, -72.685, 205],
    ],
  },
  {
    program: "axis",
    agencyId: "new-haven-pd",
    town: "New Haven",
    rows: [
      ["Ella T Grasso Blvd SB", "Legion Ave", 41.309, -72.949, 195],
      ["State St NB", "Grand Ave", 41.307, -72.919, 35],
    ],
  },
  {
    program: "axis",
    agencyId: "middletown-pd",
    town: "Middletown",
    rows: [
      ["Rt 9 NB", "Washington St", 41.562, -72.646, 340],
      ["Main St SB", "Court St", 41.5598, -72.6492, 165],
    ],
  },
  {
    program: "axis",
    agencyId: "wethersfield-pd",
    town: "Wethersfield",
    rows: [
      ["Silas Deane Hwy SB", "Nott St", 41.715, -72.66, 190],
      ["Berlin Tpke SB", "Nott St", 41.696, -72.7, 200],
    ],
  },
  {
    program: "axis",
    agencyId: "meriden-pd",
    town: "Meriden",
    rows: [
      ["E Main St WB", "Broad St", 41.538, -72.796, 275],
      ["Broad St NB", "Research Pkwy", 41.523, -72.784, 10],
    ],
  },
];

export const CAMERAS: readonly Camera[] = POSTS.flatMap(({ program, agencyId, town, rows }) =>
  rows.map((row, number) => ({ program, agencyId, town, row, number })),
).map(({ program, agencyId, town, row: [road, crossing, latitude, longitude, heading], number }, index) => ({
  index,
  id: `${program}-${agencyId}-${number + 1}`,
  name: `${road} @ ${crossing}`,
  road: road.replace(/ [NSEW]B$/, ""),
  town: program === "axon" && agencyId === "ct-state-police" ? crossing.replace(/^Exit \d+ /, "") : town,
  program,
  agencyId,
  latitude,
  longitude,
  heading,
  highway: /^(I-|Rt )/.test(road),
  // Between 1 % and 5 %: an old camera on a fast road misreads more than a new one in town.
  errorRate: 0.01 + ((index * 37) % 41) / 1000,
}));
