import { expect, test } from "vitest";
import { VEHICLE_BODY_TYPES, VEHICLE_COLORS, VEHICLE_MAKES } from "#app/entities/search/vehicle.ts";
import { bodyTypeText, colorText, makeText, vehicleText } from "#app/entities/search/vehicle-text.ts";

test.each([
  ["truck-standard", "Truck"],
  ["sedan-standard", "Sedan"],
  ["sedan-compact", "Compact car"],
  ["sedan-sport", "Sports car"],
  ["sedan-wagon", "Station wagon"],
  ["suv-crossover", "Crossover SUV"],
  ["SUV", "SUV"],
  ["van-full", "Full-size van"],
  ["van-mini", "Minivan"],
  ["tractor-trailer", "Tractor-trailer"],
  ["Motorcycle", "Motorcycle"],
  ["pickup", "Pickup truck"],
  ["semi", "Tractor-trailer"],
  ["heavytruck", "Heavy truck"],
  ["dump_truck", "Dump Truck"],
  ["Fire Engine", "Fire Engine"],
  ["dump TRUCK-bed", "dump TRUCK-bed"],
  ["dump__truck-bed", "Dump Truck Bed"],
  ["Fire_Engine", "Fire Engine"],
  ["4x4-van", "4x4 Van"],
  [" Van / Mini ", "Minivan"],
  ["missing", ""],
  [" Unknown", ""],
  ["N/A", ""],
  ["", ""],
])("the body type %s is shown as %s", (value, text) => {
  expect(bodyTypeText(value)).toBe(text);
});

test.each([
  ["silver-gray", "Silver/Gray"],
  ["gold-beige", "Gold/Beige"],
  ["grey", "Gray"],
  ["SILVER / GRAY", "Silver/Gray"],
  ["teal", "Teal"],
  ["none", ""],
])("the color %s is shown as %s", (value, text) => {
  expect(colorText(value)).toBe(text);
});

test.each([
  ["bmw", "BMW"],
  ["mercedes-benz", "Mercedes-Benz"],
  ["land rover", "Land Rover"],
  ["alfa-romeo", "Alfa Romeo"],
  ["Mg", "MG"],
  ["chevy", "Chevrolet"],
])("the make %s is shown as %s", (value, text) => {
  expect(makeText(value)).toBe(text);
});

test.each([
  [{ color: "silver-gray", make: "bmw", body_type: "sedan-standard" }, "Silver/Gray, BMW, Sedan"],
  [{ color: "unknown", make: "Honda", body_type: "" }, "Honda"],
  [{ color: "", make: "", body_type: "" }, ""],
])("the vehicle %j is shown as %j", (vehicle, text) => {
  expect(vehicleText(vehicle)).toBe(text);
});

test("every word of the search form has a text without vendor spelling", () => {
  for (const type of VEHICLE_BODY_TYPES) expect(bodyTypeText(type)).toMatch(/^[A-Z]/);
  expect(VEHICLE_COLORS.map(({ name }) => colorText(name))).toEqual(VEHICLE_COLORS.map(({ name }) => name));
  expect(VEHICLE_MAKES.map(makeText)).toEqual([...VEHICLE_MAKES]);
});
