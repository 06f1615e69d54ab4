import { beforeAll } from "vitest";
import { vendors } from "../../factories.ts";

// All test files share the simulated vendors: removes the faults that an earlier file left.
beforeAll(() => vendors.setFaults());
