import { beforeAll } from "vitest";
import { vendors } from "../factories.ts";

// The simulated vendors are one for all test files: what the file before left broken is repaired.
beforeAll(() => vendors.setFaults());
