// What a person may say of a file's form on the command line. It stands by itself, so that `--help` need not load what obeys it.
import { NAME_ORDERS } from '../../rows/cell.ts';
import { DELIMITERS, ENCODINGS } from '../../rows/form.ts';

export const DELIMITER_CHOICES: readonly string[] = [...DELIMITERS.filter((each) => each !== '\t'), 'tab'];
export const ENCODING_CHOICES: readonly string[] = ENCODINGS;
export const NAME_ORDER_CHOICES: readonly string[] = NAME_ORDERS;
