// The sender of the embedded sandbox, so that it can be tried without any configuration. It is never used against a real service.
import type { PartyFields } from '../../service/payout-service.ts';

export const SAMPLE_SENDER: PartyFields = {
  registeredName: 'Wouri Négoce SARL',
  registrationNumber: 'RC/DLA/2014/B/3127',
  address: '118 Rue Joss, Bonanjo',
  city: 'Douala',
  countryIsoCode: 'CMR',
  msisdn: '+237233421890',
};
