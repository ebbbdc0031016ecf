/** The order in deliveries that were stored before a measurement, so that the receiver counts them apart. */
export const earlierOrderId = "po_earlier";
