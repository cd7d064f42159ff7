/** How often each property is checked in `npm run soak`; undefined in other runs. */
export const soakRuns = process.env['SOAK_RUNS'] === undefined ? undefined : Number(process.env['SOAK_RUNS'])
