/** The place in the header that a screen may fill. */
export const headerSlotId = 'header-slot'
